/** `varve audit`: lists what callers of a tenant wrote, and which calls were refused. */
import { OPERATIONS } from '#api/operations/table.ts';
import { paged, printJsonLines } from '../json-lines.ts';
import { openLibraryForCommand } from '../open-library-for-command.ts';
import type { Config } from '../config.ts';
import { renderTable } from '../terminal-text.ts';
import { inputFromOptions } from '../operation-input.ts';
import type { TenantOptions } from '../memory-files/memory-file-options.ts';

const PAGE = 1_000;

/** @throws VarveError INVALID_INPUT naming the wrong option */
export async function auditCommand(
  config: Config,
  options: TenantOptions & { readonly jsonLines?: boolean },
): Promise<void> {
  const asked = inputFromOptions(OPERATIONS.audit.list, options);
  await using ordering = await openLibraryForCommand(config);
  const { varve } = ordering;
  if (options.jsonLines === true) {
    // Everything from the beginning, page by page.
    const entries = paged(async (after?: string) => {
      const page = { ...asked, order: 'oldest' as const, limit: PAGE, after };
      const { entries: items, nextAfter: next } = await varve.audit.list(page);
      return { items, next };
    });
    await printJsonLines(entries);
    return;
  }
  const { entries } = await varve.audit.list(asked);
  const rows = entries.map(({ at, principal, operation, outcome, ids }) => {
    const named = Object.entries(ids).map(([field, values]) => `${field} ${values.join(' ')}`);
    return [new Date(at).toISOString(), principal, operation, outcome, named.join(', ')];
  });
  const table = renderTable(['at', 'who', 'operation', 'outcome', 'ids'], rows);
  process.stdout.write(rows.length === 0 ? 'Nothing was written or refused.\n' : `${table}\n`);
}
