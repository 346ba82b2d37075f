/** Approved proposals that no process applied: the tick applies them. */
import { describe, expect, test } from 'vitest';
import type { ApplyDreamInput } from '#core/dreams/dream-contract.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import type { DreamRuns } from '#core/ports/dream-runs.ts';
import type { Log } from '#core/ports/platform.ts';
import type { Proposal } from '#core/records/proposal.ts';
import { coreOf, proposalOf } from '#test/conformance/document-samples.ts';
import { digest, idOf, MINUTE_MS, NOW, ownerOf } from '#test/conformance/samples.ts';
import { openDreamFixture, TENANT, type DreamFixture } from './dream-fixture.ts';

const PER_TICK = 20;

interface Running {
  /** Whether a run applies what it is asked to, at once. */
  readonly applies?: boolean;
  readonly isRefused?: (proposalId: string) => boolean;
  readonly log?: Partial<Log>;
}

async function openFixture({ applies = true, isRefused = () => false, log = {} }: Running = {}) {
  const asked: string[] = [];
  const runs: DreamRuns = {
    start: async () => 'Started',
    apply: async (input: ApplyDreamInput) => {
      if (isRefused(input.proposalId)) throw new Error('No run for this proposal.');
      asked.push(input.proposalId);
      if (applies) await fixture.activities().applyProposal(input);
      return 'Started';
    },
  };
  const fixture: DreamFixture = await openDreamFixture({ runs, log });
  await fixture.declare();
  const tick = () => fixture.activities().startDueDreams();
  const put = async (n: number, differing: Partial<Proposal> = {}, tenant = TENANT) => {
    const approved = { state: 'Approved' as const, baseVersion: 0 };
    const proposal = proposalOf(tenant, n, { ...approved, ...differing });
    await fixture.opened.store.proposals.put(proposal);
    return proposal;
  };
  const stateOf = async (n: number) =>
    (await fixture.opened.store.proposals.get(TENANT, idOf(n)))?.state;
  return Object.assign(fixture, { asked, tick, put, stateOf });
}

/** A second tenant, which its owner released. */
async function release({ opened }: DreamFixture, tenant: string): Promise<void> {
  const { policies } = opened.store;
  const policy = defaultPolicy(tenant);
  await policies.put(ownerOf(tenant), policy, { hash: digest(tenant), now: NOW });
  await policies.release(tenant, ownerOf(tenant), { now: NOW });
}

describe('the tick of dreams', () => {
  test('applies a proposal approved over a minute ago, once', async () => {
    await using fixture = await openFixture();
    const { lines } = await fixture.put(1);
    fixture.advance(MINUTE_MS);
    await fixture.tick();
    expect(fixture.asked).toEqual([]);
    fixture.advance(1);
    await fixture.tick();
    expect(fixture.asked).toEqual([idOf(1)]);
    expect(await fixture.stateOf(1)).toBe('Applied');
    expect(await fixture.memory()).toEqual(lines.map(({ text }) => text));
    fixture.advance(MINUTE_MS + 1);
    await fixture.tick();
    expect(fixture.asked).toHaveLength(1);
  });

  test.each(['Waiting', 'Rejected', 'Applied', 'Outdated'] as const)(
    'leaves a proposal alone if it is %s',
    async (state) => {
      await using fixture = await openFixture();
      await fixture.put(1, { state });
      fixture.advance(MINUTE_MS + 1);
      await fixture.tick();
      expect(fixture.asked).toEqual([]);
      expect(await fixture.stateOf(1)).toBe(state);
      expect(await fixture.memory()).toEqual([]);
    },
  );

  test('marks a proposal as outdated if MEMORY.md was written since', async () => {
    await using fixture = await openFixture();
    const mine = coreOf(TENANT, 1, { proposalId: null, author: 'caller' });
    await fixture.opened.store.documents.put(mine);
    await fixture.put(1);
    fixture.advance(MINUTE_MS + 1);
    await fixture.tick();
    expect(await fixture.stateOf(1)).toBe('Outdated');
    expect(await fixture.memory()).toEqual(mine.lines.map(({ text }) => text));
    fixture.advance(MINUTE_MS + 1);
    await fixture.tick();
    expect(fixture.asked).toHaveLength(1);
  });

  test('starts another run a minute after one was terminated', async () => {
    await using fixture = await openFixture({ applies: false });
    await fixture.put(1);
    fixture.advance(MINUTE_MS + 1);
    await fixture.tick();
    fixture.advance(MINUTE_MS);
    await fixture.tick();
    expect(fixture.asked).toHaveLength(1);
    fixture.advance(1);
    await fixture.tick();
    expect(fixture.asked).toEqual([idOf(1), idOf(1)]);
  });

  test('logs a proposal that cannot be started by its id and goes on with the others', async () => {
    const told: unknown[] = [];
    const log = { warn: (fields: unknown) => void told.push(fields) };
    await using fixture = await openFixture({ isRefused: (id) => id !== idOf(PER_TICK + 1), log });
    for (let n = 1; n <= PER_TICK; n += 1) await fixture.put(n);
    await fixture.put(PER_TICK + 1, { at: NOW + 1 });
    fixture.advance(MINUTE_MS + 2);
    await fixture.tick();
    expect(fixture.asked).toEqual([]);
    const error = new Error('No run for this proposal.');
    expect(told).toHaveLength(PER_TICK);
    expect(told[0]).toEqual({ tenant: TENANT, proposalId: idOf(1), error });
    expect(await fixture.stateOf(1)).toBe('Approved');
    await fixture.tick();
    expect(fixture.asked).toEqual([idOf(PER_TICK + 1)]);
  });

  test('passes over released tenants, which do not block the others', async () => {
    await using fixture = await openFixture();
    await release(fixture, 'gone');
    for (let n = 1; n <= PER_TICK; n += 1) await fixture.put(n, {}, 'gone');
    await fixture.put(1, { at: NOW + 1 });
    fixture.advance(MINUTE_MS + 2);
    await fixture.tick();
    expect(fixture.asked).toEqual([]);
    await fixture.tick();
    expect(fixture.asked).toEqual([idOf(1)]);
    expect(await fixture.stateOf(1)).toBe('Applied');
    // Whoever declares the tenant again finds what is pending.
    expect(await fixture.opened.store.proposals.get('gone', idOf(1))).toMatchObject({
      state: 'Approved',
    });
  });
});
