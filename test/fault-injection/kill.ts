/**
 * `npm run prove -- kill [ID…]`: kills the worker at every boundary of every activity, and the
 * server, and compares what is in the store at the end with what an undisturbed run leaves.
 *
 * Guarantees checked: the same texts, source hashes and citations; the same spend, plus the full
 * reserve of each call whose outcome the killed worker took with it; nothing reserved or pending.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { startTestTemporal } from '../cluster/test-temporal.ts';
import { KILL_CASES, type KillCase } from './kill-cases.ts';
import { LIMIT_MICRO_DOLLARS, writeCorpus } from './kill-corpus.ts';
import { runCase } from './kill-run.ts';
import type { FinalState } from './kill-state.ts';

/** What a matrix of cases shares: the corpus, a server, and what undisturbed runs left. */
export interface KillBench extends AsyncDisposable {
  /** What is wrong with the end of a case; empty where it is as it should be. */
  findings(given: KillCase): Promise<readonly string[]>;
}

export async function openKillBench(address: string): Promise<KillBench> {
  const corpus = await mkdtemp(path.join(tmpdir(), 'varve-corpus-'));
  await writeCorpus(corpus);
  const undisturbed = new Map<number, FinalState>();
  const undisturbedOf = async (refusals: KillCase['refusals']): Promise<FinalState> => {
    const known = undisturbed.get(refusals);
    if (known !== undefined) return known;
    const calm: KillCase = { id: 'calm', disturbance: { kind: 'None' }, atOnce: 1, refusals };
    const { state } = await runCase(calm, { corpus, address });
    undisturbed.set(refusals, state);
    return state;
  };
  return {
    findings: async (given) => {
      const wanted = await undisturbedOf(given.refusals);
      const { state, disturbed } = await runCase(given, { corpus, address });
      return [
        ...(disturbed ? [] : ['the death of this case never came']),
        ...differences(given, state, wanted),
      ];
    },
    [Symbol.asyncDispose]: () => rm(corpus, { recursive: true, force: true }),
  };
}

function differences(
  { disturbance, atOnce }: KillCase,
  state: FinalState,
  wanted: FinalState,
): readonly string[] {
  const findings: string[] = [];
  const expect = (what: string, holds: boolean): void => {
    if (!holds) findings.push(what);
  };
  expect('there is something to compare', wanted.texts.length > 0 && wanted.spent > 0);
  expect(`texts differ: ${firstDifference(state, wanted)}`, equal(state.texts, wanted.texts));
  expect(`unsettled: ${state.unsettled.join(', ')}`, state.unsettled.length === 0);
  expect('more was spent than the limit', state.spent + state.reserved <= LIMIT_MICRO_DOLLARS);
  if (disturbance.kind === 'DatabaseDeleted') return findings;
  const within = disturbance.kind === 'WorkerKilled' && disturbance.kill.at === 'Within';
  // With several at work, a death takes with it whatever the others were in the middle of.
  const few = atOnce === 1 ? state.lostCalls === Number(within) : state.lostCalls <= atOnce;
  expect(`${String(state.lostCalls)} calls were lost`, few);
  expect(
    `${String(state.spent)} spent, of which ${String(state.lost)} lost; ` +
      `an undisturbed run spends ${String(wanted.spent)}`,
    state.spent - state.lost === wanted.spent,
  );
  expect(`${String(state.reserved)} still reserved`, state.reserved === 0);
  expect(`${String(state.textsKept)} paid texts kept`, state.textsKept === 0);
  return findings;
}

function equal(a: FinalState['texts'], b: FinalState['texts']): boolean {
  return isDeepStrictEqual(a, b);
}

function firstDifference({ texts: got }: FinalState, { texts: wanted }: FinalState): string {
  const at = wanted.findIndex((text, n) => !isDeepStrictEqual(text, got[n]));
  return `${JSON.stringify(got[at])} instead of ${JSON.stringify(wanted[at])}`;
}

/** With ids as arguments only those cases. */
export async function run(args: readonly string[]): Promise<{ passed: number; failed: number }> {
  const chosen = KILL_CASES.filter(({ id }) => args.length === 0 || args.includes(id));
  await using temporal = await startTestTemporal();
  await using bench = await openKillBench(temporal.address);
  const counts = { passed: 0, failed: 0 };
  for (const given of chosen) {
    const startedAt = performance.now();
    const findings = await bench.findings(given).catch((error: unknown) => [String(error)]);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    counts[findings.length === 0 ? 'passed' : 'failed'] += 1;
    const verdict = findings.length === 0 ? 'ok    ' : 'FAILED';
    const why = findings.map((finding) => `; ${finding}`).join('');
    process.stdout.write(`${verdict}  ${given.id} (${String(seconds)} s)${why}\n`);
  }
  process.stdout.write(`${String(counts.passed)} passed, ${String(counts.failed)} failed\n`);
  return counts;
}
