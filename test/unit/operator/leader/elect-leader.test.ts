import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import { NO_OPERATOR_METRICS } from '#core/ports/metrics.ts';
import { SILENT_LOG, type Log } from '#core/ports/platform.ts';
import { LeaderElector, type Term } from '#operator/leader/elect-leader.ts';
import { firstEpoch, LEASE_SETTINGS, type LeaseSettings } from '#operator/leader/lease.ts';
import { leaseServer, type Trip } from '../lease-server.ts';
import { virtualTime } from '../virtual-time.ts';

const PLACE = { namespace: 'varve', name: 'varve-operator' };
const AT_ONCE: Trip = { thereMs: 0, backMs: 0 };
/** 2026-11-22T08:00:00Z */
const START = 1_795_334_400_000;
/** Of the first term at that time. */
const FIRST = firstEpoch(START);
const HOUR_MINUTES = 60;

interface Candidate {
  readonly name: string;
  readonly terms: readonly Term[];
  readonly stop: AbortController;
  /** Ends what is led. */
  readonly end: () => void;
  readonly outcome: () => string;
  readonly elector: LeaderElector;
}

interface CandidateOptions {
  readonly trip?: () => Trip;
  readonly settings?: LeaseSettings;
  readonly random?: () => number;
  /** A wall clock that is wrong by so much. */
  readonly wallOffMs?: number;
  /** A clock that may stand still with its process. */
  readonly clock?: () => number;
  readonly log?: Log;
}

function fixture() {
  const time = virtualTime();
  const wait = (ms: number) => time.timers().wait(ms, new AbortController().signal);
  const server = leaseServer(wait);
  const candidate = (name: string, options: CandidateOptions = {}): Candidate => {
    const { trip = () => AT_ONCE, settings = LEASE_SETTINGS, wallOffMs = 0 } = options;
    const { random = () => 0, clock = time.now, log = SILENT_LOG } = options;
    const terms: Term[] = [];
    const stop = new AbortController();
    let outcome = 'Running';
    let end: () => void = () => undefined;
    const elector = new LeaderElector({
      api: server.client(trip),
      place: PLACE,
      identity: name,
      settings,
      timers: time.timers({ random, clock }),
      clock: () => START + time.now() + wallOffMs,
      log,
      metrics: NO_OPERATOR_METRICS,
    });
    const lead = (term: Term) => {
      terms.push(term);
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    };
    elector.run(lead, stop.signal).then(
      (ended) => (outcome = ended),
      (error: unknown) => (outcome = String(error)),
    );
    return { name, terms, stop, end: () => end(), outcome: () => outcome, elector };
  };
  return { time, server, candidate };
}

function specOf(server: ReturnType<typeof leaseServer>) {
  return server.read()?.['spec'] as Readonly<Record<string, unknown>>;
}

describe('the settings of the Lease', () => {
  test.each<[string, Partial<LeaseSettings>, boolean]>([
    ['a Lease of 30 s', {}, true],
    ['a Lease of 60 s', { leaseMs: 60_000, renewWithinMs: 40_000, retryMs: 15_000 }, true],
    ['a Lease as short as its renewal time', { leaseMs: 20_000 }, false],
    ['time for a single try', { retryMs: 10_000 }, false],
    ['no pause', { retryMs: 0 }, false],
    ['fractions of a second', { leaseMs: 30_500 }, false],
    ['a Lease of two hours', { leaseMs: 7_200_000 }, false],
  ])('%s: accepted is %s', (_, changed, isTaken) => {
    const make = () => fixture().candidate('a', { settings: { ...LEASE_SETTINGS, ...changed } });
    if (isTaken) expect(make).not.toThrow();
    else expect(make).toThrow(VarveError);
  });
});

describe('leader election', () => {
  test('the first candidate leads and writes six digits in every time of the Lease', async () => {
    const { time, server, candidate } = fixture();
    const a = candidate('a');
    await time.settle();
    expect([a.terms.map(({ epoch }) => epoch), a.elector.isLeader()]).toEqual([[FIRST], true]);
    expect(specOf(server)).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 30,
      leaseTransitions: FIRST,
      acquireTime: '2026-11-22T08:00:00.000000Z',
      renewTime: '2026-11-22T08:00:00.000000Z',
    });
    await time.pass(5_000);
    expect(specOf(server)).toMatchObject({
      acquireTime: '2026-11-22T08:00:00.000000Z',
      renewTime: '2026-11-22T08:00:05.000000Z',
    });
  });

  test.each([
    ['a moment after 1970', 0, 1],
    ['the year 2026', START, 29_922_240],
    ['the last minute that the counter can name', (2 ** 31 - 1) * 60_000, 2 ** 31 - 1],
  ])('the first epoch as of %s is later than those of a deleted Lease', (_, now, epoch) => {
    expect(firstEpoch(now)).toBe(epoch);
  });

  test('another candidate waits while the leader renews, and knows the leader', async () => {
    const { time, candidate } = fixture();
    candidate('a');
    await time.settle();
    const b = candidate('b');
    await time.pass(600_000);
    expect(b.terms).toEqual([]);
    expect([b.elector.leader(), b.elector.isLeaderKnown(), b.elector.epoch()]).toEqual([
      'a',
      true,
      0,
    ]);
  });

  test('a waiting candidate logs each leader once', async () => {
    const { time, candidate } = fixture();
    const lines: unknown[] = [];
    const log = { ...SILENT_LOG, info: (fields: object) => lines.push(fields) };
    const a = candidate('a');
    await time.settle();
    candidate('b', { log });
    await time.pass(600_000);
    expect(lines).toEqual([{ identity: 'b', leader: 'a' }]);
    a.end();
    a.stop.abort();
    await time.settle();
    candidate('c');
    await time.settle();
    await time.pass(600_000);
    expect(lines).toContainEqual({ identity: 'b', leader: 'c' });
  });

  test('a candidate follows a vanished leader after the Lease, by its own clock', async () => {
    const { time, candidate, server } = fixture();
    // A clock an hour ahead would make every renewal look like one of the future.
    const a = candidate('a', { wallOffMs: 3_600_000 });
    await time.pass(12_000);
    const b = candidate('b', { wallOffMs: -3_600_000 });
    await time.pass(1);
    server.write((object) => ({ ...object, spec: { ...specOf(server), holderIdentity: 'gone' } }));
    await time.pass(28_000);
    expect([a.outcome(), b.terms.length]).toEqual(['Lost', 0]);
    await time.pass(8_000);
    expect(b.terms.map(({ epoch }) => epoch)).toEqual([FIRST + HOUR_MINUTES + 1]);
  });

  test('a leader that lost the Lease stops at its next renewal', async () => {
    const { time, candidate, server } = fixture();
    const a = candidate('a');
    await time.settle();
    server.write((object) => ({ ...object, spec: { ...specOf(server), holderIdentity: 'b' } }));
    await time.pass(5_000);
    expect([a.outcome(), a.elector.isLeader(), a.terms[0]?.signal.aborted]).toEqual([
      'Lost',
      false,
      true,
    ]);
  });

  test('a leader goes on if a person labels the Lease', async () => {
    const { time, candidate, server } = fixture();
    const a = candidate('a');
    await time.settle();
    server.write((object) => ({
      ...object,
      metadata: { ...object.metadata, labels: { seen: 'yes' } },
    }));
    await time.pass(60_000);
    expect(a.outcome()).toBe('Running');
    expect(server.read()?.metadata.labels).toEqual({ seen: 'yes' });
  });

  test('a leader without a connection stops 20 s after its last renewal was sent', async () => {
    let trip = AT_ONCE;
    const { time, candidate } = fixture();
    const a = candidate('a', { trip: () => trip });
    await time.settle();
    trip = { thereMs: 3_600_000, backMs: 0 };
    await time.pass(19_999);
    expect([a.elector.isLeader(), a.outcome()]).toEqual([true, 'Running']);
    await time.pass(1);
    expect([a.elector.isLeader(), a.outcome()]).toEqual([false, 'Lost']);
  });

  test('a leader keeps the Lease despite lost answers while one comes in time', async () => {
    let calls = 0;
    const { time, candidate } = fixture();
    const a = candidate('a', {
      trip: () => {
        calls += 1;
        return { ...AT_ONCE, isAnswerLost: calls % 4 === 0 };
      },
      settings: { leaseMs: 60_000, renewWithinMs: 40_000, retryMs: 5_000 },
    });
    await time.pass(19_000);
    expect([a.terms.length, a.outcome()]).toEqual([1, 'Running']);
  });

  test('a stopped leader keeps the Lease until its work has ended, then gives it back', async () => {
    const { time, candidate, server } = fixture();
    const a = candidate('a');
    await time.settle();
    const b = candidate('b');
    a.stop.abort();
    await time.pass(25_000);
    expect([a.elector.isLeader(), b.terms.length]).toEqual([true, 0]);
    a.end();
    await time.settle();
    expect(a.outcome()).toBe('Stopped');
    expect(specOf(server)).toMatchObject({ leaseDurationSeconds: 1, leaseTransitions: FIRST });
    expect(specOf(server)['holderIdentity']).toBeUndefined();
    await time.pass(6_000);
    expect(b.terms.map(({ epoch }) => epoch)).toEqual([FIRST + 1]);
  });

  test.each([
    ['restored from a backup', 3, FIRST],
    ['with many changes of holder', FIRST + 50, FIRST + 51],
  ])('an existing Lease %s leads to a later epoch', async (_, transitions, epoch) => {
    const { time, candidate, server } = fixture();
    const gone = candidate('gone');
    await time.settle();
    gone.end();
    await time.settle();
    server.write((object) => ({
      ...object,
      spec: { leaseDurationSeconds: 1, leaseTransitions: transitions },
    }));
    const b = candidate('b');
    await time.pass(6_000);
    expect(b.terms.map((term) => term.epoch)).toEqual([epoch]);
  });

  test('a candidate waits out a deleted Lease, since its holder still counts on it', async () => {
    const { time, candidate, server } = fixture();
    let trip = AT_ONCE;
    const a = candidate('a', { trip: () => trip });
    await time.settle();
    const b = candidate('b');
    await time.pass(5_100);
    trip = { thereMs: 3_600_000, backMs: 0 };
    server.remove();
    await time.pass(14_000);
    expect([a.elector.isLeader(), b.terms.length]).toEqual([true, 0]);
    await time.pass(30_000);
    expect([a.outcome(), b.terms.map(({ epoch }) => epoch)]).toEqual(['Lost', [FIRST + 1]]);
  });

  test('a leader told of a later one ends at once and gives the Lease back', async () => {
    const { time, candidate, server } = fixture();
    const a = candidate('a');
    await time.settle();
    const b = candidate('b');
    await time.settle();
    a.elector.lose();
    expect([a.elector.isLeader(), a.elector.epoch()]).toEqual([false, 0]);
    await time.settle();
    expect([a.outcome(), a.terms[0]?.signal.aborted]).toEqual(['Lost', true]);
    expect(specOf(server)['holderIdentity']).toBeUndefined();
    await time.pass(6_000);
    expect(b.terms.map(({ epoch }) => epoch)).toEqual([FIRST + 1]);
  });

  test('an error while leading gives the Lease back and is rethrown', async () => {
    const { time, server } = fixture();
    const elector = new LeaderElector({
      api: server.client(() => AT_ONCE),
      place: PLACE,
      identity: 'a',
      settings: LEASE_SETTINGS,
      timers: time.timers(),
      clock: () => START,
      log: SILENT_LOG,
      metrics: NO_OPERATOR_METRICS,
    });
    const failing = () => Promise.reject(new VarveError('CORRUPT', 'It broke.'));
    const run = elector.run(failing, new AbortController().signal).catch(String);
    await time.settle();
    expect(await run).toBe('VarveError: It broke.');
    expect(specOf(server)['holderIdentity']).toBeUndefined();
  });

  test('a stopped candidate does not take the Lease', async () => {
    const { time, candidate, server } = fixture();
    candidate('a');
    await time.settle();
    const b = candidate('b');
    await time.settle();
    b.stop.abort();
    await time.pass(120_000);
    expect([b.outcome(), specOf(server)['holderIdentity']]).toEqual(['Stopped', 'a']);
  });

  test('the leader is unknown before one is seen, and again soon after the last was', async () => {
    let trip: Trip = { thereMs: 3_600_000, backMs: 0 };
    const { time, candidate } = fixture();
    const a = candidate('a');
    const b = candidate('b', { trip: () => trip });
    await time.pass(10_000);
    expect(b.elector.isLeaderKnown()).toBe(false);
    trip = AT_ONCE;
    await time.pass(20_000);
    expect([b.elector.isLeaderKnown(), b.elector.leader()]).toEqual([true, 'a']);
    trip = { thereMs: 3_600_000, backMs: 0 };
    await time.pass(60_000);
    expect([b.elector.isLeaderKnown(), b.elector.leader()]).toEqual([true, null]);
    await time.pass(90_000);
    expect([b.elector.isLeaderKnown(), a.elector.isLeaderKnown()]).toEqual([false, true]);
  });

  const TRIP = fc.record({
    thereMs: fc.oneof(fc.nat(300), fc.nat(60_000)),
    backMs: fc.oneof(fc.nat(300), fc.nat(60_000)),
    isAnswerLost: fc.boolean(),
  });
  const CHANCE = fc.double({ min: 0, max: 0.999, noNaN: true });

  test('two candidates never lead at once, however late or lost their requests are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(TRIP, { minLength: 1, maxLength: 60 }),
        fc.array(CHANCE, { minLength: 3, maxLength: 3 }),
        fc.array(fc.integer({ min: -100_000_000, max: 100_000_000 }), {
          minLength: 3,
          maxLength: 3,
        }),
        async (trips, chances, offs) => {
          const { time, candidate } = fixture();
          const left = [...trips];
          const all = ['a', 'b', 'c'].map((name, index) =>
            candidate(name, {
              trip: () => left.shift() ?? AT_ONCE,
              random: () => chances[index] ?? 0,
              wallOffMs: offs[index] ?? 0,
            }),
          );
          for (let step = 0; step < 200; step += 1) {
            const leading = all.filter(({ elector }) => elector.isLeader());
            expect(leading.length).toBeLessThanOrEqual(1);
            await time.pass(1_500);
          }
          const epochs = all.flatMap(({ terms }) => terms.map(({ epoch }) => epoch));
          expect(new Set(epochs).size).toBe(epochs.length);
          expect(epochs.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 15 },
    );
  });

  test('a leader that stood still past its Lease has an older epoch', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 36_500, max: 200_000 }), async (stoodMs) => {
        const { time, candidate } = fixture();
        let frozenAt: number | null = null;
        let trip = AT_ONCE;
        // Its clock stands still too: the worst that a stopped machine can do.
        const a = candidate('a', { clock: () => frozenAt ?? time.now(), trip: () => trip });
        await time.settle();
        const b = candidate('b');
        await time.pass(5_100);
        frozenAt = time.now();
        trip = { thereMs: 3_600_000, backMs: 0 };
        await time.pass(stoodMs);
        expect(b.terms.map(({ epoch }) => epoch)).toEqual([FIRST + 1]);
        // It still believes, as it must: only the epoch can tell.
        expect(a.elector.isLeader()).toBe(true);
        expect(a.elector.epoch()).toBeLessThan(b.elector.epoch());
        frozenAt = null;
        expect([a.elector.isLeader(), a.elector.epoch()]).toEqual([false, 0]);
      }),
      { numRuns: 10 },
    );
  });
});
