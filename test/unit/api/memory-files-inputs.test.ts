import { describe, expect, test } from 'vitest';
import { startApiServer } from '#api/http-server.ts';
import { connectApi } from '#cli/api-client.ts';
import type { VarveError } from '#core/errors.ts';
import { failureOf } from '#test/unit/failures.ts';
import { newTenant } from '#test/unit/library/open-library.ts';
import { ANN, NOON, sharedTiers, type Tiers } from './memory-files-fixture.ts';

const fixture = sharedTiers();

/** Stands in every wrong input where memory text or a name could; no answer may repeat it. */
const SECRET = 'Ann-has-a-secret';
const HALF = '\ud83d';
const NUL = '\0';
const TOKEN = 'a-token-of-this-installation';

type Call = (tiers: Tiers, input: never) => Promise<unknown>;

const CALLS = {
  append: ({ daily }, input) => daily.append(input),
  today: ({ daily }, input) => daily.get(input),
  paths: ({ document }, input) => document.list(input),
  get: ({ document }, input) => document.get(input),
  edit: ({ document }, input) => document.edit(input),
  versions: ({ document }, input) => document.versions(input),
  restore: ({ document }, input) => document.restore(input),
  run: ({ dream }, input) => dream.run(input),
  status: ({ dream }, input) => dream.status(input),
  dream: ({ dream }, input) => dream.get(input),
  dreams: ({ dream }, input) => dream.list(input),
  approve: ({ dream }, input) => dream.approve(input),
  reject: ({ dream }, input) => dream.reject(input),
  schedules: ({ dream }, input) => dream.schedules(input),
} as const satisfies Record<string, Call>;

const OF = { tenant: 'acme', subject: ANN };
const APPEND = { ...OF, text: SECRET };
const EDIT = { ...OF, text: SECRET, expectedVersion: 0 };
const ID = { tenant: 'acme', id: 'dream-1' };

const NOT_AN_OBJECT = Object.keys(CALLS).flatMap((call) =>
  [undefined, null, SECRET, 7, [SECRET]].map(
    (input) => [call as keyof typeof CALLS, input, 'input'] as const,
  ),
);

const ROWS: readonly (readonly [call: keyof typeof CALLS, input: unknown, path: string])[] = [
  ...NOT_AN_OBJECT,
  ['append', { ...APPEND, other: SECRET }, 'other'],
  ['edit', { ...EDIT, other: SECRET }, 'other'],
  ['approve', { ...ID, other: SECRET }, 'other'],
  ['append', { ...APPEND, tenant: 'Acme' }, 'tenant'],
  ['append', { ...APPEND, subject: { kind: 'team', id: SECRET } }, 'subject.kind'],
  ['append', { ...APPEND, subject: { kind: 'user', id: '' } }, 'subject.id'],
  ['append', { ...APPEND, subject: { kind: 'user', id: 'a'.repeat(257) } }, 'subject.id'],
  ['append', { ...APPEND, subject: { kind: 'user', id: `${SECRET}${HALF}` } }, 'subject.id'],
  ['append', { ...APPEND, subject: `user/${SECRET}` }, 'subject'],
  ['append', { ...APPEND, text: ' \n' }, 'text'],
  ['append', { ...APPEND, text: `${SECRET}${NUL}` }, 'text'],
  ['append', { ...APPEND, text: undefined }, 'text'],
  ['append', { ...APPEND, lines: [{ text: SECRET }] }, 'text'],
  ['append', { ...OF, lines: [] }, 'lines'],
  ['append', { ...OF, lines: [{ text: '' }] }, 'lines.0.text'],
  ['append', { ...OF, lines: [{ text: 'x', sources: [''] }] }, 'lines.0.sources.0'],
  ['append', { ...APPEND, sources: Array.from({ length: 65 }, String) }, 'sources'],
  ['append', { ...APPEND, heading: ' ' }, 'heading'],
  ['append', { ...APPEND, heading: `${SECRET}\n# x` }, 'heading'],
  ['append', { ...APPEND, heading: 'h'.repeat(201) }, 'heading'],
  ['append', { ...APPEND, at: 'yesterday' }, 'at'],
  ['append', { ...APPEND, key: '' }, 'key'],
  ['append', { ...APPEND, key: 'k'.repeat(257) }, 'key'],
  ['today', { ...OF, day: '2026-02-30' }, 'day'],
  ['today', { ...OF, day: `../${SECRET}` }, 'day'],
  ['today', { ...OF, after: -1 }, 'after'],
  ['paths', { ...OF, limit: 1_001 }, 'limit'],
  ['get', { ...OF, path: '' }, 'path'],
  ['get', { ...OF, path: 'p'.repeat(129) }, 'path'],
  ['get', { ...OF, version: 0 }, 'version'],
  ['edit', { ...EDIT, expectedVersion: -1 }, 'expectedVersion'],
  ['edit', { ...EDIT, expectedVersion: undefined }, 'expectedVersion'],
  ['edit', { ...EDIT, text: `${SECRET}${NUL}` }, 'text'],
  ['versions', { ...OF, limit: 51 }, 'limit'],
  ['restore', { ...OF, version: 0 }, 'version'],
  ['run', { ...OF, lookbackDays: 0 }, 'lookbackDays'],
  ['run', { ...OF, lookbackDays: 367 }, 'lookbackDays'],
  ['dreams', { tenant: 'acme', state: SECRET }, 'state'],
  ['dreams', { tenant: 'acme', limit: 51 }, 'limit'],
  ['dream', { tenant: 'acme', id: 'i'.repeat(129) }, 'id'],
  ['approve', { ...ID, reason: 'r'.repeat(1_001) }, 'reason'],
  ['reject', { ...ID, reason: ' ' }, 'reason'],
  ['reject', ID, 'reason'],
];

describe('inputs', () => {
  test.each(ROWS)('%s refuses wrong input and repeats nothing of it (%#)', async (...row) => {
    const [call, input, path] = row;
    const error = await refusal(call, input);
    expect(error).toMatchObject({ code: 'INVALID_INPUT', retryable: false });
    const { issues } = error.details as { issues: { path: string }[] };
    expect(issues.map((issue) => issue.path)).toContain(path);
    expect(JSON.stringify([error.message, error.details])).not.toContain(SECRET);
  });
});

function refusal(call: keyof typeof CALLS, input: unknown): Promise<VarveError> {
  const run: Call = CALLS[call];
  return failureOf(run(fixture().tiers(), input as never));
}

test('API-01: the typed client answers over HTTP what the library answers', async () => {
  const tenant = newTenant();
  const { ports } = fixture();
  await using server = await startApiServer({ ports, host: '127.0.0.1', port: 0, token: TOKEN });
  const client = connectApi({ url: server.url, token: TOKEN });
  const own = fixture().tiers();
  const of = { tenant, subject: ANN };
  const { day } = await client.daily.append({ ...of, text: 'Ann grows tulips.', at: NOON });
  const edited = await client.document.edit({ ...of, text: '- Ann sings.', expectedVersion: 0 });
  expect([day, edited.version]).toEqual(['2026-11-21', 1]);
  await client.document.edit({ ...of, text: '- Ann hums.', expectedVersion: 1 });
  await client.document.restore({ ...of, version: 1 });
  expect((await client.dream.run(of)).state).toBe('Started');

  const reads: readonly ((tiers: Tiers) => Promise<unknown>)[] = [
    ({ daily }) => daily.get(of),
    ({ document }) => document.list(of),
    ({ document }) => document.get(of),
    ({ document }) => document.versions(of),
    ({ dream }) => dream.status(of),
    ({ dream }) => dream.list({ tenant }),
    ({ dream }) => dream.get({ tenant, id: 'none' }),
    ({ dream }) => dream.schedules({ tenant }),
  ];
  for (const read of reads) expect(await read(client)).toEqual(await read(own));
  for (const order of ['approve', 'reject'] as const) {
    const refused = client.dream[order]({ tenant, id: 'none', reason: 'why' });
    expect(await failureOf(refused)).toMatchObject({ code: 'NOT_FOUND' });
  }
  const lost = client.document.edit({ ...of, text: '- x', expectedVersion: 1 });
  expect(await failureOf(lost)).toMatchObject({ code: 'CONFLICT', details: { version: 3 } });
});
