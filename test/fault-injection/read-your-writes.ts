/**
 * `npm run prove -- read-your-writes [SECONDS] [SEED]`: writers and readers over the API of a
 * running installation, while its processes are killed at random and its model fails, cuts off its
 * answers or invents facts. After each acknowledged write, no reader may say what was changed or
 * deleted, and each must know what is new. At the end, every summary is fresh again.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { VarveClientError, type VarveClient } from '#client/index.ts';

import type { Behavior } from '../cluster/model-server/behavior.ts';
import { startModelServer } from '../cluster/model-server/model-server.ts';
import {
  LAYERS,
  ReadYourWritesHarness,
  type TestedApi,
  type Write,
} from '../conformance/read-your-writes-harness.ts';
import { temporaryFolder } from '../e2e/varve-process.ts';
import { keepInstallation, type KeptInstallation } from './kept-installation.ts';
import { SEED, seededChoices, type Choices } from './seeded-sample.ts';

const SECONDS = 600;
const WORLDS = 4;
/** More would make a run about large scopes; beyond them something is deleted first. */
const MEMORIES_MAX = 10;
const TURNS_MAX = 6;
/** Between two disturbances. */
const CALM_MS = [1_000, 2_000, 4_000, 6_000] as const;
/** From the end of all disturbances until every summary is fresh. */
const FRESH_MS = 120_000;
/** An installation that runs for so long acknowledges a call, or it is a finding. */
const ACKNOWLEDGED_MS = 90_000;
const PAUSE_MS = 200;
const MODEL = {
  VARVE_MODEL_STANDARD: 'a-model',
  VARVE_MODEL_STANDARD_INPUT_PRICE: '0',
  VARVE_MODEL_STANDARD_OUTPUT_PRICE: '0',
};

const DISTURBANCES = ['stack', 'worker', 'temporal', 'model', 'model'] as const;
type Disturbance = (typeof DISTURBANCES)[number];

/** What the model does outside of an outage; mostly it answers as it should. */
const BEHAVIORS: readonly Behavior[] = [
  ...Array.from({ length: 6 }, () => ({ kind: 'Answer' }) as const),
  { kind: 'Answer', fault: 'CutItem' },
  { kind: 'Answer', fault: 'MalformedJson' },
  { kind: 'Answer', fault: 'InventsNumbers' },
  { kind: 'Answer', fault: 'SwapsOwners' },
  { kind: 'CutStream' },
];
const OUTAGE: Behavior = { kind: 'Refuse', status: 500 };

export interface ReadYourWritesRun {
  readonly seconds: number;
  readonly seed: number;
  /** Each with a tenant, a writer and a reader of its own; 4 if absent. */
  readonly harnesses?: number;
  /** Told what happens as it happens. */
  readonly report?: (line: string) => void;
}

export interface RunFindings {
  /** What is wrong; empty where all is as it should be. */
  readonly findings: readonly string[];
  readonly writes: number;
  readonly reads: number;
  readonly disturbed: Readonly<Record<Disturbance, number>>;
  /** How often the installation ended because a part was killed too often. */
  readonly gaveUp: number;
}

export async function run(args: readonly string[]): Promise<{ passed: number; failed: number }> {
  const [seconds = SECONDS, seed = SEED] = args.map(Number);
  const found = await readYourWritesUnderFaults({
    seconds,
    seed,
    report: (line) => process.stdout.write(`  ${line}\n`),
  });
  const { findings, writes, reads, disturbed, gaveUp } = found;
  for (const finding of findings) process.stdout.write(`  ${finding}\n`);
  const kills = Object.entries(disturbed).map(([what, times]) => `${what} ${String(times)}`);
  process.stdout.write(
    `read-your-writes, seed ${String(seed)}, ${String(seconds)} s: ` +
      `${String(writes)} writes acknowledged, ` +
      `${String(reads)} answers judged; disturbed: ${kills.join(', ')}, ` +
      `gave a part up ${String(gaveUp)}; ` +
      `${String(findings.length)} findings\n`,
  );
  return findings.length === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

export async function readYourWritesUnderFaults(given: ReadYourWritesRun): Promise<RunFindings> {
  const choices = seededChoices(given.seed);
  const model = { isOut: false };
  await using server = await startModelServer({
    behave: () => (model.isOut ? OUTAGE : choices.one(BEHAVIORS)),
  });
  await using folder = await temporaryFolder();
  const { harnesses: count = WORLDS } = given;
  const tenants = Array.from({ length: count }, (_, n) => `writes-${String(n)}`);
  const policyDir = path.join(folder.path, 'policies');
  await mkdir(policyDir);
  await writeFile(path.join(policyDir, 'tenants.yaml'), tenants.map(policyOf).join('---\n'));
  await using installation = await keepInstallation(path.join(folder.path, 'data'), {
    env: { ...MODEL, OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: 'sk-of-nobody' },
    args: ['--policy-dir', policyDir],
  });
  const end = performance.now() + given.seconds * 1_000;
  const isOver = (): boolean => performance.now() >= end;
  const harnesses = tenants.map(
    (tenant) => new ReadYourWritesHarness(faceOf(tenant, installation)),
  );
  const counted = { writes: 0 };
  const disturbed = { stack: 0, worker: 0, temporal: 0, model: 0 };
  await Promise.all([
    ...harnesses.map((harness) =>
      noting(harness, async () => {
        while (!isOver() && harness.findings.length === 0) {
          await harness.write(nextWrite(harness, choices));
          counted.writes += 1;
        }
      }),
    ),
    ...harnesses.map((harness) =>
      noting(harness, async () => {
        while (!isOver() && harness.findings.length === 0) await harness.lookBesideWrites();
      }),
    ),
    (async () => {
      while (!isOver()) {
        await sleep(choices.one(CALM_MS));
        const what = choices.one(DISTURBANCES);
        disturbed[what] += 1;
        if (what === 'model') model.isOut = !model.isOut;
        else await installation.kill(what);
        const how = what !== 'model' ? 'killed' : model.isOut ? 'fails' : 'answers again';
        given.report?.(`${what} ${how}, after ${String(counted.writes)} writes`);
      }
    })(),
  ]);
  model.isOut = false;
  given.report?.('nothing disturbs any more; waiting for fresh summaries');
  await Promise.all(harnesses.map((harness) => noting(harness, () => becomeFresh(harness))));
  const findings = [...harnesses.flatMap((each) => each.findings), ...installation.unasked];
  const reads = harnesses.reduce((total, harness) => total + harness.reads, 0);
  return { findings, writes: counted.writes, reads, disturbed, gaveUp: installation.gaveUp };
}

/** A call that fails is a finding, and the others go on. */
async function noting(harness: ReadYourWritesHarness, work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => harness.findings.push(String(error)));
}

/** Every reader once more when nothing disturbs, and every summary fresh within its time. */
async function becomeFresh(harness: ReadYourWritesHarness): Promise<void> {
  await harness.look();
  const deadline = performance.now() + FRESH_MS;
  let stale = await harness.stale();
  while (stale.length > 0 && performance.now() < deadline) {
    await sleep(PAUSE_MS);
    stale = await harness.stale();
  }
  await harness.look();
  harness.findings.push(...stale.map((summary) => `not fresh again: ${summary}`));
}

function nextWrite(harness: ReadYourWritesHarness, choices: Choices): Write {
  const { memories, turns } = harness.size;
  const which = choices.below(MEMORIES_MAX);
  if (memories >= MEMORIES_MAX) return { kind: 'Delete', which };
  if (turns >= TURNS_MAX) return { kind: 'DeleteTurn', which };
  const layer = choices.one(LAYERS);
  const sentence = choices.below(2);
  return choices.one<Write>([
    { kind: 'Add', layer, sentence },
    { kind: 'AddKeyed', layer, sentence },
    { kind: 'Update', which },
    { kind: 'Update', which },
    { kind: 'Delete', which },
    { kind: 'Append', sentence },
    { kind: 'DeleteTurn', which },
  ]);
}

/** Everything is due at its first change, after a window of a second. */
function policyOf(tenant: string): string {
  const layers = LAYERS.map(
    (layer) => `---
apiVersion: memory.varve.dev/v1alpha1
kind: LayerSummaryPolicy
metadata:
  name: ${tenant}-${layer}
spec:
  tenantRef:
    name: ${tenant}
  layer: ${layer}
  updateOnChanges: 1
`,
  );
  return `apiVersion: memory.varve.dev/v1alpha1
kind: MemoryTenant
metadata:
  name: ${tenant}
spec:
  tenantId: ${tenant}
  refresh:
    batchWindow: 1s
${layers.join('')}`;
}

/** Tries each call again until it is acknowledged, under the same key. */
function faceOf(tenant: string, installation: KeptInstallation): TestedApi {
  return {
    tenant,
    call: async <Answer>({ name }: { readonly name: string }, input: object): Promise<Answer> => {
      const idempotencyKey = randomUUID();
      const asked = performance.now();
      for (;;) {
        // Starting takes as long as the machine lets it.
        const { client, since } = await installation.running();
        try {
          return (await methodOf(client, name)(input, { idempotencyKey })) as Answer;
        } catch (error) {
          const isLost = error instanceof VarveClientError && error.retryable;
          const deadline = Math.max(asked, since) + ACKNOWLEDGED_MS;
          if (!isLost || performance.now() >= deadline) {
            throw new Error(`${name} of ${tenant} failed: ${String(error)}`, { cause: error });
          }
          await sleep(PAUSE_MS);
        }
      }
    },
  };
}

type Method = (input: object, options: { idempotencyKey: string }) => Promise<unknown>;

function methodOf(client: VarveClient, name: string): Method {
  const [group = '', method = ''] = name.split('.');
  const found = (client as unknown as Record<string, Record<string, Method>>)[group]?.[method];
  if (found === undefined) throw new Error(`The client has no ${name}.`);
  return found;
}
