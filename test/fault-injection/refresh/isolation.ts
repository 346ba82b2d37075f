/**
 * Proofs that neither other tenants nor other work of a tenant delays urgent work. Fairness is off.
 */
import { BATCHES_IN_FLIGHT_MAX } from '#core/refresh/refresh-contract.ts';
import type { ModelBatch } from '#core/ports/model.ts';
import { eventually, openStack, type Stack } from '../../workflows/fixture.ts';
import { door, mentions, stubbed } from '../../workflows/model-stub.ts';
import { addScopes } from './batching.ts';
import { historyFindings, PERSON, SECRET_WORD, startsOf, unsettled } from './end-state.ts';
import { findings, type Findings, type Scenario, type ScenarioPlace } from './scenario.ts';

const HOUR_MS = 3_600_000;
const SOON_MS = 60_000;
const LIGHTHOUSE = `The lighthouse of ${SECRET_WORD} is closed.`;
const FERRY = `The ferry to ${SECRET_WORD} leaves at noon.`;

export const ISOLATION: readonly Scenario[] = [
  {
    id: 'backlog-and-another-tenant',
    requirement: 'TMP-05',
    run: (place) => urgentBesideBacklog(place, '-other'),
  },
  {
    id: 'backlog-and-its-own-urgent',
    requirement: 'TMP-05',
    run: (place) => urgentBesideBacklog(place, ''),
  },
  {
    id: 'cache-of-two',
    requirement: 'TMP-02',
    run: async ({ address, scale }) => {
      const count = scale === 'Full' ? 50 : 8;
      const { model, calls } = stubbed();
      await using stack = await openStack({ address, model, cachedWorkflowsMax: 2 });
      const tenants = Array.from({ length: count }, (_, n) => `${stack.tenant}-${String(n)}`);
      await Promise.all(
        tenants.map(async (tenant) => {
          await stack.declare(tenant);
          await stack.add(tenant, { identifiers: { userId: `${PERSON}1` }, content: FERRY });
        }),
      );
      const found = findings();
      for (const tenant of tenants) {
        const { generated } = await stack.settled(tenant);
        found.expect(generated === 1, `${tenant}: ${String(generated)} summaries`);
        found.expect((await startsOf(stack, tenant)) === 1, `${tenant} was started again`);
        found.add(await unsettled(stack, tenant));
        found.add(await historyFindings(stack, tenant));
      }
      found.expect(calls.length === count, `${String(calls.length)} calls`);
      return found.list;
    },
  },
];

/** Calls of the backlog wait for a door each; those of urgent work do not. */
class Backlog {
  readonly doors: { readonly open: () => void }[] = [];
  readonly begun: ('Backlog' | 'Urgent')[] = [];
  atWork = 0;
  most = 0;
  isOver = false;

  async enter(batch: ModelBatch): Promise<void> {
    const isUrgent = mentions(batch, 'ferry');
    this.begun.push(isUrgent ? 'Urgent' : 'Backlog');
    if (isUrgent) return;
    this.atWork += 1;
    this.most = Math.max(this.most, this.atWork);
    if (!this.isOver) {
      const held = door();
      this.doors.push(held);
      await held.opened;
    }
    this.atWork -= 1;
  }

  finish(): void {
    this.isOver = true;
    for (const { open } of this.doors) open();
  }
}

/** `suffix` names the tenant whose cited memory is deleted while the backlog is at work. */
async function urgentBesideBacklog(
  { address, scale }: ScenarioPlace,
  suffix: string,
): Promise<readonly string[]> {
  const batches = scale === 'Full' ? 500 : 30;
  const backlog = new Backlog();
  const { model } = stubbed((batch) => backlog.enter(batch));
  await using stack = await openStack({ address, model });
  const busy = stack.tenant;
  const urgent = `${stack.tenant}${suffix}`;
  const cited = await citedMemory(stack, urgent);
  backlog.begun.length = 0;
  await stack.declare(busy, { layers: { batchWindowMs: HOUR_MS } });
  await addScopes(stack, busy, { count: batches, layer: 'user' });
  stack.advance(HOUR_MS);
  await stack.temporal.notify(busy, { urgent: false });
  await eventually('full lanes', async () => backlog.atWork === BATCHES_IN_FLIGHT_MAX);

  await stack.remove(urgent, cited);
  await eventually('an urgent scope that is due', () => isUrgentDue(stack, urgent));
  // Its own run is asked once a lane is free; another tenant's has lanes of its own.
  if (suffix === '') backlog.doors[0]?.open();
  await eventually('the urgent call', async () => backlog.begun.includes('Urgent'));
  const found = findings();
  const before = backlog.begun.indexOf('Urgent');
  const inFlight = BATCHES_IN_FLIGHT_MAX;
  found.expect(before === inFlight, `${String(before)} calls came before the urgent one`);
  backlog.finish();
  await checkEnd(stack, { backlog, tenants: [busy, urgent] }, found);
  return found.list;
}

async function checkEnd(
  stack: Stack,
  { backlog, tenants }: { backlog: Backlog; tenants: readonly string[] },
  found: Findings,
): Promise<void> {
  for (const tenant of new Set(tenants)) {
    await stack.settled(tenant);
    found.add(await unsettled(stack, tenant));
    found.add(await historyFindings(stack, tenant));
  }
  const { most } = backlog;
  found.expect(most <= BATCHES_IN_FLIGHT_MAX, `${String(most)} calls of a tenant at once`);
}

/** A memory that a summary cites, beside one that stays. */
async function citedMemory(stack: Stack, tenant: string): Promise<string> {
  await stack.declare(tenant);
  const owner = { identifiers: { userId: `${PERSON}urgent` } };
  const { memory } = await stack.add(tenant, { ...owner, content: LIGHTHOUSE });
  await stack.add(tenant, { ...owner, content: FERRY });
  await stack.settled(tenant);
  await eventually('a summary of both', async () => {
    const scope = { tenant, layer: 'user' as const, scopeId: `${PERSON}urgent` };
    const summary = await stack.parts.store.summaries.get(scope, '');
    return summary?.facts.some(({ sources }) => sources.includes(memory.id));
  });
  return memory.id;
}

async function isUrgentDue({ parts }: Stack, tenant: string): Promise<boolean> {
  const now = parts.platform.clock();
  const due = await parts.store.scopes.due(tenant, { until: now + SOON_MS, now, limit: 1 });
  return due.some(({ dueTrigger, dueAt }) => dueTrigger === 'Urgent' && (dueAt ?? 0) <= now);
}
