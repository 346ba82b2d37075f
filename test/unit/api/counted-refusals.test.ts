/** Metrics of calls that are refused before the memory provider is called. */
import { expect, test } from 'vitest';
import { libraryOf } from '#api/library.ts';
import type { ApiPorts } from '#api/api-ports.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { startApiServer } from '#api/http-server.ts';
import { apiPortsOf, openParts } from '#cli/composition-root.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

const TENANT = { tenant: 'acme' };
const TOKEN = 'a-token-of-this-installation';
const HEADERS = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
const NOBODY = '0199aaaa-0000-7000-8000-000000000001';

type Input = Readonly<Record<string, unknown>>;
interface Face extends AsyncDisposable {
  /** Rejects where the call is refused. */
  readonly add: (input: Input) => Promise<unknown>;
  readonly update: (id: string, input: Input) => Promise<unknown>;
}

function library(ports: ApiPorts): Promise<Face> {
  const { memory } = libraryOf(ports, LOCAL_OPERATOR);
  type Add = Parameters<typeof memory.add>[0];
  return Promise.resolve({
    add: (input) => memory.add({ ...TENANT, ...input } as Add),
    update: (id, input) => memory.update({ ...TENANT, id, ...input }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
}

async function served(ports: ApiPorts) {
  const server = await startApiServer({ ports, host: '127.0.0.1', port: 0, token: TOKEN });
  const send = async (method: string, path: string, input: Input) => {
    const body = JSON.stringify(input);
    const response = await fetch(`${server.url}/${path}`, { method, headers: HEADERS, body });
    await response.text();
    if (!response.ok) throw new Error(String(response.status));
  };
  return { send, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function trpc(ports: ApiPorts): Promise<Face> {
  const { send, ...open } = await served(ports);
  return {
    add: (input) => send('POST', 'memory.add', { ...TENANT, ...input }),
    update: (id, input) => send('POST', 'memory.update', { ...TENANT, id, ...input }),
    ...open,
  };
}

async function rest(ports: ApiPorts): Promise<Face> {
  const { send, ...open } = await served(ports);
  return {
    add: (input) => send('POST', 'v1/tenants/acme/memories', input),
    update: (id, input) => send('PATCH', `v1/tenants/acme/memories/${id}`, input),
    ...open,
  };
}

test.each(Object.entries({ library, trpc, rest }))(
  'a refused call is counted once by its code, wherever it is refused: %s',
  async (_, openFace) => {
    await using temporary = await temporaryFolder();
    await using parts = await openParts({ dataDir: temporary.folder, log: SILENT_LOG });
    await using face = await openFace(apiPortsOf(parts, NO_REFRESH_TRIGGER, null));
    const add = (more: Input) => face.add({ content: 'x', identifiers: {}, ...more });
    const ended = await Promise.allSettled([
      add({ layer: 'galaxy' }),
      add({ layer: 'user', content: 7 }),
      add({ layer: 'user' }),
      add({ layer: 'user', identifiers: { userId: 'ann' }, content: 'x'.repeat(300_000) }),
      face.update(NOBODY, { tags: ['a'] }),
    ]);
    expect(ended.map(({ status }) => status)).toEqual(Array.from(ended, () => 'rejected'));
    const page = await parts.metricsPage.render([]);
    const lines = page.split('\n').filter((line) => line.startsWith('memory_operations_errors'));
    expect(lines.toSorted()).toEqual([
      'memory_operations_errors_total{operation="add",code="CONTENT_TOO_LONG"} 1',
      'memory_operations_errors_total{operation="add",code="INVALID_INPUT"} 1',
      'memory_operations_errors_total{operation="add",code="INVALID_LAYER"} 1',
      'memory_operations_errors_total{operation="add",code="MISSING_IDENTIFIER"} 1',
      'memory_operations_errors_total{operation="update",code="MEMORY_NOT_FOUND"} 1',
    ]);
  },
);

test('a refused call outside the memory group is not counted', async () => {
  await using temporary = await temporaryFolder();
  await using parts = await openParts({ dataDir: temporary.folder, log: SILENT_LOG });
  const { budget } = libraryOf(apiPortsOf(parts, NO_REFRESH_TRIGGER, null), LOCAL_OPERATOR);
  await expect(budget.get({ tenant: '' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  expect(await parts.metricsPage.render([])).not.toContain('memory_operations_errors_total{');
});
