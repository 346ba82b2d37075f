/** What a library without the option `log` shows of failures that its calls survive. */
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import { warningLog } from '#cli/warning-log.ts';

test('Node warns of the first failure of each kind, with its code and without other words', async () => {
  const seen: Error[] = [];
  const note = (warning: Error) => seen.push(warning);
  process.on('warning', note);
  const log = warningLog();
  const error = new VarveError('PROVIDER_ERROR', 'hush');
  const first = once(process, 'warning');
  log.warn({ tenant: 'acme', error }, 'no model read the turns; rules read them');
  log.warn({ tenant: 'acme', error }, 'no model read the turns; rules read them');
  log.error({ tenant: 'acme', code: 'TIMEOUT' }, 'query not embedded');
  log.warn({ tenant: 'acme' }, 'stale summary served');
  log.info({ code: 'TIMEOUT' }, 'query not embedded');
  await first;
  await nextTurn();
  process.off('warning', note);
  expect(seen.map(({ name, message }) => `${name}: ${message.split('. ')[0] ?? ''}`)).toEqual([
    'VarveWarning: tenant acme: no model read the turns; rules read them (PROVIDER_ERROR)',
    'VarveWarning: tenant acme: query not embedded (TIMEOUT)',
  ]);
});
