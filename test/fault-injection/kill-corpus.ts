/**
 * The memory that a killed worker summarizes: written once, then copied, so that ids stay equal.
 */
import { cp } from 'node:fs/promises';
import { OPERATIONS } from '#api/operations/table.ts';
import type { ApiPorts } from '#api/api-ports.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { apiPortsOf, openParts, type Parts } from '#cli/composition-root.ts';
import type { Identifiers } from '#core/identifiers.ts';
import type { Layer } from '#core/layer.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { quickPolicy } from '../workflows/fixture.ts';

export const TENANT = 'acme';
export const LIMIT_MICRO_DOLLARS = 1_000_000;
/**
 * The times of turns and the days of memories are part of what is summarized, so they are no matter
 * of when a case runs.
 */
const SAID_AT = Date.UTC(2026, 10, 2, 9);
const CHANGED_AT = SAID_AT + 60 * 60_000;
const MINUTE_MS = 60_000;

/** Ten batches, two more than one claim holds: people and agents alone, the rest together. */
const MEMORIES: readonly (readonly [Layer, Identifiers, readonly string[]])[] = [
  ['agent', { agentId: 'planner' }, ['The planner asks before it books.', 'It books by train.']],
  ['agent', { agentId: 'tester' }, ['The tester runs the suite twice.', 'It keeps each log.']],
  ['user', { userId: 'ann' }, ['Ann grows roses in Lisbon.', 'Ann keeps three hives of bees.']],
  ['user', { userId: 'bob' }, ['Bob repairs clocks.', 'Bob moved to Porto in 2024.']],
  ['user', { userId: 'cleo' }, ['Cleo reads maps.', 'Cleo leads the survey of 2026.']],
  ['user', { userId: 'dan' }, ['Dan cooks for twelve people.', 'Dan avoids peanuts.']],
  ['user', { userId: 'eve' }, ['Eve signs the contracts.', 'Eve is away in August.']],
  ['project', { projectId: 'apollo' }, ['Apollo ships in week 40.', 'Apollo has four people.']],
  ['project', { projectId: 'borealis' }, ['Borealis waits for parts.', 'Its budget is 90 k.']],
  ['team', { teamId: 'north' }, ['Team North meets on Mondays.', 'It writes in English.']],
  ['org', { orgId: 'field' }, ['Field work needs two people.', 'Cars are booked a week ahead.']],
  ['company', { companyId: 'acme' }, ['Acme closes on 24 December.', 'Acme pays by the 5th.']],
];

const CALLS: readonly (readonly [session: string, said: readonly string[]])[] = [
  ['standup', ['We ship Apollo in week 40.', 'The tests of the importer still fail.']],
  ['review', ['The survey found two errors in the map.', 'Cleo corrects them by Friday.']],
];

/** Writes everything into a new data folder. All of it is due at once. */
export async function writeCorpus(dataDir: string): Promise<void> {
  await using parts = await openParts({ dataDir, log: SILENT_LOG });
  const { store, platform } = parts;
  const budget = { limitTokens: null, limitMicroDollars: LIMIT_MICRO_DOLLARS };
  const policy = quickPolicy(TENANT, { tenant: { budget: { ...budget, onExhausted: 'Reject' } } });
  const owner = { cluster: 'test', namespace: 'test', name: TENANT, uid: TENANT };
  await store.policies.put(owner, policy, { hash: 'policy', now: platform.clock() });
  const ports = portsOf(parts);
  for (const [layer, identifiers, contents] of MEMORIES) {
    for (const [n, content] of contents.entries()) {
      const key = `statement-${String(n)}`;
      const memory = { tenant: TENANT, layer, identifiers, content, key, at: SAID_AT };
      await OPERATIONS.memory.add.call(ports, LOCAL_OPERATOR, memory);
    }
  }
  for (const [sessionId, said] of CALLS) await say(ports, sessionId, said);
}

export async function copyCorpus(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true });
}

/** What comes once all is summarized: an update, a deletion that is urgent, one more turn. */
export async function writeChanges(parts: Parts): Promise<void> {
  const ports = portsOf(parts);
  const cited = await citedOf(parts, { layer: 'user', scopeId: 'ann' });
  await OPERATIONS.memory.delete.call(ports, LOCAL_OPERATOR, { tenant: TENANT, id: cited });
  await OPERATIONS.memory.add.call(ports, LOCAL_OPERATOR, {
    ...{ tenant: TENANT, layer: 'user', identifiers: { userId: 'dan' }, at: CHANGED_AT },
    // An update by its id would date the memory on the day of the run.
    key: await keyOf(parts, await citedOf(parts, { layer: 'user', scopeId: 'dan' })),
    content: 'Dan cooks for twelve people on Sundays.',
  });
  await say(ports, 'standup', ['The importer is repaired.'], 10);
}

async function keyOf({ store }: Parts, id: string): Promise<string> {
  const key = (await store.memories.get(TENANT, id))?.key;
  if (key == null) throw new Error(`The memory ${id} has no key.`);
  return key;
}

async function citedOf({ store }: Parts, scope: { layer: Layer; scopeId: string }) {
  const summary = await store.summaries.get({ tenant: TENANT, ...scope }, '');
  const id = summary?.facts[0]?.sources[0];
  if (id === undefined) throw new Error(`The summary of ${scope.scopeId} cites nothing.`);
  return id;
}

async function say(
  ports: ApiPorts,
  sessionId: string,
  ...[said, after = 0]: [said: readonly string[], after?: number]
): Promise<void> {
  const turns = said.map((content, n) => ({
    id: `${sessionId}-${String(after + n)}`,
    role: 'user' as const,
    content,
    at: SAID_AT + (after + n) * MINUTE_MS,
  }));
  await OPERATIONS.conversation.append.call(ports, LOCAL_OPERATOR, {
    tenant: TENANT,
    sessionId,
    turns,
  });
}

function portsOf(parts: Parts): ApiPorts {
  return apiPortsOf(parts, NO_REFRESH_TRIGGER, null);
}
