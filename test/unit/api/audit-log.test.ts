/** The audit of a tenant: what it records, what it never records, and when entries expire. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sweepAudits } from '#activities/retention/retention-activities.ts';
import { createAuditLog } from '#api/audit-log.ts';
import { libraryOf, type Library } from '#api/library.ts';
import type { ApiPorts } from '#api/api-ports.ts';
import { LOCAL_OPERATOR, type Principal } from '#api/principal.ts';
import { namedOperations } from '#api/operations/table.ts';
import { apiPortsOf, openParts } from '#cli/composition-root.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { AUDIT_IDS_MAX } from '#core/records/audit-entry.ts';
import { ownerOf } from '#test/conformance/samples.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { failureOf, newTenant } from '#test/unit/library/open-library.ts';

const DAY = 86_400_000;
const DAYS = 30;
const NOON = Date.parse('2026-11-21T12:00:00Z');
const clock = { now: NOON };

let ports: ApiPorts;
const held = new AsyncDisposableStack();
beforeAll(async () => {
  const { folder } = held.use(await temporaryFolder());
  const parts = held.use(await openParts({ dataDir: folder, log: SILENT_LOG }));
  const platform = { ...parts.platform, clock: () => clock.now };
  const audit = createAuditLog({ store: parts.store, platform, days: DAYS });
  ports = apiPortsOf({ ...parts, platform, audit }, NO_REFRESH_TRIGGER, null);
});
afterAll(() => held.disposeAsync());

const as = (principal: Principal): Library => libraryOf(ports, principal);
const keyOf = (tenant: string, role: 'read' | 'write'): Principal => ({
  name: `key:${role}s`,
  tenants: [tenant],
  bound: {},
  role,
});
const ANN = { layer: 'user', identifiers: { userId: 'ann' } } as const;

async function entriesOf(tenant: string) {
  const { entries } = await as(LOCAL_OPERATOR).audit.list({ tenant, order: 'oldest' });
  return entries;
}

describe('the audit of a tenant', () => {
  test('a deletion that finds nothing is not recorded as done', async () => {
    const tenant = newTenant();
    const { memory: memories, conversation } = as(keyOf(tenant, 'write'));
    const { memory } = await memories.add({ tenant, ...ANN, content: 'Ann sails.' });
    const turns = [{ id: 't1', role: 'user' as const, content: 'I sail.' }];
    await conversation.append({ tenant, sessionId: 's', turns });
    for (let times = 0; times < 2; times += 1) {
      await memories.delete({ tenant, id: memory.id });
      await conversation.delete({ tenant, sessionId: 's', turnIds: ['t1'] });
    }
    const found = (await entriesOf(tenant)).map(({ operation, outcome }) => [operation, outcome]);
    expect(found.slice(2)).toEqual([
      ['memory.delete', 'Done'],
      ['conversation.delete', 'Done'],
      ['memory.delete', 'MEMORY_NOT_FOUND'],
      ['conversation.delete', 'MEMORY_NOT_FOUND'],
    ]);
  });

  test('records writes and refused calls with caller, operation, ids and outcome, but no reads', async () => {
    const tenant = newTenant();
    const writer = as(keyOf(tenant, 'write'));
    const { memory } = await writer.memory.add({ tenant, ...ANN, content: 'Ann sails.' });
    await writer.memory.get({ tenant, id: memory.id });
    await failureOf(as(keyOf(tenant, 'read')).memory.delete({ tenant, id: memory.id }));
    await failureOf(writer.budget.get({ tenant }));
    await failureOf(writer.memory.update({ tenant, id: 'none', content: 'x' }));
    expect(await entriesOf(tenant)).toMatchObject([
      {
        at: NOON,
        principal: 'key:writes',
        operation: 'memory.add',
        outcome: 'Done',
        ids: { userId: ['ann'], id: [memory.id], layer: ['user'], scopeId: ['ann'] },
      },
      { principal: 'key:reads', operation: 'memory.delete', outcome: 'FORBIDDEN' },
      { principal: 'key:writes', operation: 'budget.get', outcome: 'FORBIDDEN' },
      { operation: 'memory.update', outcome: 'MEMORY_NOT_FOUND', ids: { id: ['none'] } },
    ]);
  });

  test('records no dry run unless it is refused', async () => {
    const tenant = newTenant();
    const admin = as(LOCAL_OPERATOR);
    const { memory } = await admin.memory.add({ tenant, ...ANN, content: 'Ann sails.' });
    const target = { kind: 'Memory', id: memory.id } as const;
    const dry = { tenant, target, dryRun: true };
    await admin.memory.erase(dry);
    await failureOf(as(keyOf(tenant, 'read')).memory.erase(dry));
    const operations = (await entriesOf(tenant)).map(({ operation, outcome }) => [
      operation,
      outcome,
    ]);
    expect(operations).toEqual([
      ['memory.add', 'Done'],
      ['memory.erase', 'FORBIDDEN'],
    ]);
  });

  test('records a refused call to another tenant in the audit of the caller', async () => {
    const [own, other] = [newTenant(), newTenant()];
    await failureOf(as(keyOf(own, 'write')).memory.add({ tenant: other, ...ANN, content: 'x' }));
    expect(await entriesOf(other)).toEqual([]);
    expect(await entriesOf(own)).toMatchObject([
      { operation: 'memory.add', outcome: 'FORBIDDEN', ids: { tenant: [other] } },
    ]);
  });

  test('names a limited number of ids and counts the rest', async () => {
    const tenant = newTenant();
    const ids = Array.from({ length: AUDIT_IDS_MAX + 20 }, (_, at) => `memory-${String(at)}`);
    await as(LOCAL_OPERATOR).memory.bulkDelete({ tenant, ids });
    const [entry] = await entriesOf(tenant);
    expect(Object.values(entry?.ids ?? {}).flat()).toHaveLength(AUDIT_IDS_MAX);
    expect(entry?.idsLeftOut).toBeGreaterThan(20);
  });

  test('is listed page by page, newest first, and filtered by time', async () => {
    const tenant = newTenant();
    for (const id of ['a', 'b', 'c']) await as(LOCAL_OPERATOR).memory.delete({ tenant, id });
    const { audit } = as(LOCAL_OPERATOR);
    const first = await audit.list({ tenant, limit: 2 });
    expect(first.entries.map(({ ids }) => ids['id'])).toEqual([['c'], ['b']]);
    const after = first.nextAfter ?? '';
    const second = await audit.list({ tenant, limit: 2, after });
    expect(second).toMatchObject({ entries: [{ ids: { id: ['a'] } }], nextAfter: null });
    expect((await audit.list({ tenant, since: NOON + 1 })).entries).toEqual([]);
  });

  test('drops entries older than the retention, and the oldest beyond the maximum', async () => {
    const tenant = newTenant();
    const { audit } = ports.store;
    await as(LOCAL_OPERATOR).memory.delete({ tenant, id: 'old' });
    clock.now = NOON + DAYS * DAY;
    for (const id of ['a', 'b', 'c']) await as(LOCAL_OPERATOR).memory.delete({ tenant, id });
    expect(await audit.sweep(tenant, { now: clock.now - 1, most: 10 })).toBe(0);
    expect(await audit.sweep(tenant, { now: clock.now, most: 2 })).toBe(2);
    expect((await entriesOf(tenant)).map(({ ids }) => ids['id'])).toEqual([['b'], ['c']]);
    clock.now = NOON;
  });
});

test('the retention days of a policy apply to the audit of its tenant', async () => {
  const { store, platform } = ports;
  const [longer, shorter] = [newTenant(), newTenant()];
  for (const [tenant, auditRetentionDays] of [
    [longer, DAYS + 1],
    [shorter, 1],
  ] as const) {
    const policy = { ...defaultPolicy(tenant), auditRetentionDays };
    await store.policies.put(ownerOf(tenant), policy, { hash: tenant, now: NOON });
    await as(LOCAL_OPERATOR).memory.add({ tenant, ...ANN, content: 'Ann sails.' });
  }
  const at = (now: number) => ({ store, platform: { ...platform, clock: () => now } });
  await sweepAudits(at(NOON + DAY));
  expect([await entriesOf(longer), await entriesOf(shorter)]).toMatchObject([[{}], []]);
  await sweepAudits(at(NOON + DAYS * DAY));
  expect(await entriesOf(longer)).toHaveLength(1);
  await sweepAudits(at(NOON + (DAYS + 1) * DAY));
  expect(await entriesOf(longer)).toEqual([]);
});

test('the sweep ends the audit of a tenant that makes no more calls', async () => {
  const tenant = newTenant();
  // Nothing else is kept of it.
  await as(LOCAL_OPERATOR).memory.delete({ tenant, id: 'x' });
  const { store, platform } = ports;
  const at = (now: number) => ({ store, platform: { ...platform, clock: () => now } });
  await sweepAudits(at(NOON + DAYS * DAY - 1));
  expect(await entriesOf(tenant)).toHaveLength(1);
  await sweepAudits(at(NOON + DAYS * DAY));
  expect(await entriesOf(tenant)).toEqual([]);
});

/** Fields of inputs that hold ids, places or choices, by which an entry may name something. */
const CANARY = 'QuokkaLantern';
const PLAIN =
  /(?:tenant|identifiers|layers?|subject|id|Id|ids|Ids|path|kind|role|depth|order|at)$/u;

describe('the audit contains no text of a call', () => {
  test('not of metadata, whatever its fields are called', async () => {
    const tenant = newTenant();
    const metadata = { id: CANARY, scope: { id: CANARY } };
    await as(LOCAL_OPERATOR).memory.add({ tenant, ...ANN, content: 'x', metadata });
    expect(JSON.stringify(await entriesOf(tenant))).not.toContain(CANARY);
  });

  const written = namedOperations().filter(([, { kind }]) => kind === 'mutation');
  test.each(written)('%s', async (name, { example }) => {
    const tenant = newTenant();
    const input = { ...(withCanaries(example.input) as object), tenant };
    const principal = keyOf(tenant, 'write');
    const call = { principal, operation: name, outcome: 'Done', input };
    await ports.audit?.note({ ...call, answer: withCanaries(example.output) });
    const entries = await entriesOf(tenant);
    expect(entries).toHaveLength(1);
    expect(JSON.stringify(entries)).not.toContain(CANARY);
  });
});

/** Texts of fields that are no ids become canaries. */
function withCanaries(value: unknown, field = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => withCanaries(each, field));
  if (typeof value === 'string') return PLAIN.test(field) ? value : CANARY;
  if (typeof value !== 'object' || value === null) return value;
  const isIds = field === 'identifiers';
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, isIds ? each : withCanaries(each, key)]),
  );
}
