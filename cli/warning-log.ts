/** The log of a library without the option `log`: Node shows each kind of failure once. */
import { codeOf } from '#core/errors.ts';
import { SILENT_LOG, type Log } from '#core/ports/platform.ts';

/**
 * Returns a log that emits a process warning for the first failure of each kind, so that a model
 * or an embedder that never answers does not stay hidden. Lines about no failure go nowhere.
 */
export function warningLog(): Log {
  const shown = new Set<string>();
  const warn: Log['warn'] = ({ tenant, code, error }, message) => {
    const known = code ?? codeOf(error);
    const reason = typeof known === 'string' ? known : null;
    if (reason === null && error === undefined) return;
    const kind = `${message} (${reason ?? 'no code'})`;
    if (shown.has(kind)) return;
    shown.add(kind);
    const of = typeof tenant === 'string' ? `tenant ${tenant}: ` : '';
    const next = 'Later ones are not shown; the option log gets all of them.';
    process.emitWarning(`${of}${kind}. ${next}`, { type: 'VarveWarning' });
  };
  return { ...SILENT_LOG, warn, error: warn };
}
