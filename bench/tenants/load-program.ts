/** One demanding tenant, in a process of its own: it starts and stops on request. */
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerParent } from './child.ts';
import { callingOf, KINDS, type Calling, type Kind, type Tenant } from './calls.ts';

export type Load =
  /** This many calls a second, whatever the answers are. */
  | { readonly kind: 'Flood'; readonly perSecond: number }
  /** This many callers of each kind; each sends its next call as soon as it has an answer. */
  | { readonly kind: 'Constant'; readonly callers: Readonly<Partial<Record<Kind, number>>> };

export type ToLoad =
  | { readonly kind: 'Begin'; readonly from: number }
  /** Answered with the results of the calls, once none is under way. */
  | { readonly kind: 'End' };

export interface Sent {
  readonly seconds: number;
  readonly calls: number;
  readonly answered: number;
  readonly refused: number;
  readonly failed: number;
}

/** It stands for another machine, so it should take no core from what is measured. */
const LOW_PRIORITY = 10;
const TICK_MS = 10;
const SECOND_MS = 1_000;
const TOO_MANY = 429;
/** Above this a flood waits, as another machine would run out of connections too. */
const UNDER_WAY_MAX = 128;
/** Pause of a caller after a refusal. */
const AGAIN_MS = 100;

setPriority(LOW_PRIORITY);
const [asked = '{}'] = process.argv.slice(2);
const { url, load, ...tenant } = JSON.parse(asked) as Tenant & { url: string; load: Load };
const calling = callingOf(url);
let running: { readonly stop: AbortController; readonly ended: Promise<Sent> } | null = null;
answerParent<Sent | null>(async (given) => {
  const message = given as ToLoad;
  if (message.kind === 'End') {
    running?.stop.abort();
    return (await running?.ended) ?? null;
  }
  const stop = new AbortController();
  running = { stop, ended: loaded(calling, message.from, stop.signal) };
  return null;
});
process.send?.({});

async function loaded(through: Calling, from: number, signal: AbortSignal): Promise<Sent> {
  const counts = { calls: 0, answered: 0, refused: 0, failed: 0 };
  const begun = performance.now();
  const one = async (kind: Kind) => {
    counts.calls += 1;
    try {
      const { status } = await through.call(tenant, kind, from + counts.calls);
      if (status === TOO_MANY) counts.refused += 1;
      else if (status < 300) counts.answered += 1;
      else counts.failed += 1;
      return status;
    } catch {
      counts.failed += 1;
      return 0;
    }
  };
  await (load.kind === 'Flood'
    ? flood(load.perSecond, one, signal)
    : constant(load.callers, one, signal));
  return { seconds: (performance.now() - begun) / SECOND_MS, ...counts };
}

type One = (kind: Kind) => Promise<number>;

async function flood(perSecond: number, one: One, signal: AbortSignal): Promise<void> {
  const underWay = new Set<Promise<unknown>>();
  const begun = performance.now();
  let sent = 0;
  while (!signal.aborted) {
    const due = ((performance.now() - begun) / SECOND_MS) * perSecond;
    for (; sent < due && underWay.size < UNDER_WAY_MAX; sent += 1) {
      const call = one(KINDS[sent % KINDS.length] ?? 'search').finally(() => {
        underWay.delete(call);
      });
      underWay.add(call);
    }
    await sleep(TICK_MS);
  }
  await Promise.all(underWay);
}

async function constant(
  callers: Readonly<Partial<Record<Kind, number>>>,
  one: One,
  signal: AbortSignal,
): Promise<void> {
  const again = async (kind: Kind) => {
    while (!signal.aborted) if ((await one(kind)) !== 200) await sleep(AGAIN_MS);
  };
  await Promise.all(
    KINDS.flatMap((kind) => Array.from({ length: callers[kind] ?? 0 }, () => again(kind))),
  );
}
