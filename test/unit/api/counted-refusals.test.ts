/** What a scraper sees of calls that are refused before the memory provider is called. */
import { expect, test } from 'vitest';
import { libraryOf, type Library } from '#api/library.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { apiPortsOf, NO_REFRESH_TRIGGER, openParts } from '#cli/compose.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

const TENANT = { tenant: 'acme' };
const NOBODY = '0199aaaa-0000-7000-8000-000000000001';

test('a call that is refused counts once by its code, wherever that happens', async () => {
  await using temporary = await temporaryFolder();
  await using parts = await openParts({ dataDir: temporary.folder, log: SILENT_LOG });
  const api = libraryOf(apiPortsOf(parts, NO_REFRESH_TRIGGER, null), LOCAL_OPERATOR);
  const add = (more: object) =>
    api.memory.add({ ...TENANT, content: 'x', identifiers: {}, ...more } as Parameters<
      Library['memory']['add']
    >[0]);
  const ended = await Promise.allSettled([
    add({ layer: 'galaxy' }),
    add({ layer: 'user' }),
    add({ layer: 'user', identifiers: { userId: 'ann' }, content: 'x'.repeat(300_000) }),
    api.memory.update({ ...TENANT, id: NOBODY, tags: ['a'] }),
    api.budget.get({ tenant: '' }),
  ]);
  expect(ended.map(({ status }) => status)).toEqual(Array.from(ended, () => 'rejected'));
  const page = await parts.metricsPage.render([]);
  const lines = page.split('\n').filter((line) => line.startsWith('memory_operations_errors'));
  expect(lines.toSorted()).toEqual([
    'memory_operations_errors_total{operation="add",code="CONTENT_TOO_LONG"} 1',
    'memory_operations_errors_total{operation="add",code="INVALID_LAYER"} 1',
    'memory_operations_errors_total{operation="add",code="MISSING_IDENTIFIER"} 1',
    'memory_operations_errors_total{operation="update",code="MEMORY_NOT_FOUND"} 1',
  ]);
});
