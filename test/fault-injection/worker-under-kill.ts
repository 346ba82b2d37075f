/**
 * The worker of `varve worker` with a death in it: it kills itself with SIGKILL at a given moment,
 * once; a file tells the next process that it happened.
 */
import { closeSync, existsSync, openSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { runWorker } from '#cli/stack/run-worker.ts';
import { shutdownSignal } from '#cli/shutdown.ts';
import type { RefreshActivities, TickActivities } from '#core/refresh/refresh-contract.ts';
import { VarveError } from '#core/errors.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import { TEST_BUNDLE } from '#test/cluster/test-temporal.ts';

export const KILLED_FILE = 'killed';

const Activity = z.enum([
  'readWindow',
  'claimBatches',
  'summarizeBatch',
  'commitBatch',
  'releaseBatch',
  'acknowledge',
  'distilDream',
  'gatherFlush',
  'keepFlush',
  'writeFlush',
  'endFlush',
]);

/** The one argument of this module, as JSON. */
export const WorkerUnderKill = z.strictObject({
  dataDir: z.string(),
  /** Where this worker leaves word of what it did; outside of the data folder. */
  markDir: z.string(),
  address: z.string(),
  namespace: z.string(),
  kill: z
    .strictObject({
      activity: Activity,
      at: z.enum(['Before', 'After', 'Within']),
      call: z.int().min(1),
    })
    .nullable(),
  atOnce: z.int().min(1),
  refusals: z.int().min(0),
  /** Pause of each answer, for those who want to come in between. */
  answerMs: z.int().min(0),
});
export type WorkerUnderKill = z.infer<typeof WorkerUnderKill>;

/** A thousand micro-dollars for a thousand tokens read: every call costs something. */
const PRICE = {
  inputMicroDollarsPerMillion: 1_000_000,
  outputMicroDollarsPerMillion: 2_000_000,
};
const OUTPUT_TOKENS = 40;

if (import.meta.main) await work(WorkerUnderKill.parse(JSON.parse(process.argv[2] ?? '{}')));

async function work(given: WorkerUnderKill): Promise<void> {
  const { dataDir, address, namespace } = given;
  await runWorker({
    dataDir,
    address,
    namespace,
    log: SILENT_LOG,
    signal: shutdownSignal(['SIGTERM']),
    workflowBundle: process.env[TEST_BUNDLE] ?? null,
    onReady: () => process.send?.({ kind: 'Ready' }),
    model: (extractive) => modelUnderKill(extractive, given),
    around: (activities) => activitiesUnderKill(activities, given),
  });
}

function activitiesUnderKill(
  activities: RefreshActivities & TickActivities,
  given: WorkerUnderKill,
): RefreshActivities & TickActivities {
  const { kill, atOnce } = given;
  const calls = new Map<string, number>();
  const enter = turnstile(atOnce);
  const dressed = Object.entries(activities).map(([name, run]) => {
    const call = async (input: never): Promise<unknown> => {
      using _place = await enter();
      const count = (calls.get(name) ?? 0) + 1;
      calls.set(name, count);
      const isIt = kill?.activity === name && kill.call === count;
      if (isIt && kill.at === 'Before') await die(given);
      const answer: unknown = await (run as (input: never) => Promise<unknown>)(input);
      if (isIt && kill.at === 'After') await die(given);
      return answer;
    };
    return [name, call];
  });
  return Object.fromEntries(dressed) as RefreshActivities & TickActivities;
}

function modelUnderKill(extractive: SummaryModel, given: WorkerUnderKill): SummaryModel {
  const { kill, refusals, answerMs } = given;
  let calls = 0;
  return {
    ...extractive,
    name: 'metered',
    price: PRICE,
    answer: async (batch, call) => {
      calls += 1;
      // Others may come in before this call is answered.
      const own = calls;
      for (let n = 1; n <= refusals; n += 1) {
        if (mark(given, `refused-${String(n)}`)) {
          throw new VarveError('PROVIDER_REJECTED', 'The model refuses its first calls.');
        }
      }
      if (answerMs > 0) await sleep(answerMs);
      const { text, usage } = await extractive.answer(batch, call);
      if (kill?.at === 'Within' && kill.call === own) await die(given);
      // The extractive answer names its batch, whose id differs from run to run, and so its tokens.
      return { text, usage: { ...usage, outputTokens: OUTPUT_TOKENS * batch.items.length } };
    },
  };
}

/** Lets so many in at the same time, in the order in which they came. */
function turnstile(places: number): () => Promise<Disposable> {
  const waiting: (() => void)[] = [];
  let free = places;
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return async () => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return { [Symbol.dispose]: leave };
  };
}

/** True for the first who asks, in whichever process. */
function mark({ markDir }: WorkerUnderKill, name: string): boolean {
  const file = path.join(markDir, name);
  if (existsSync(file)) return false;
  closeSync(openSync(file, 'wx'));
  return true;
}

async function die(given: WorkerUnderKill): Promise<void> {
  if (!mark(given, KILLED_FILE)) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => undefined);
}
