/** Dreams with a real store, a real Temporal server, and workers that a test starts and stops. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createActivities, type AllActivities } from '#activities/create-activities.ts';
import { forTemporal, temporalCall } from '#activities/heartbeats-and-failures.ts';
import type { Models, RefreshPorts } from '#activities/refresh-ports.ts';
import { openParts } from '#cli/composition-root.ts';
import { TASK_QUEUE } from '#core/refresh/refresh-contract.ts';
import { dreamWorkflowId, type DreamInput, type DreamResult } from '#core/dreams/dream-contract.ts';
import type { DreamPolicy } from '#core/records/dream-policy.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { DreamModel, DreamQuestion } from '#core/ports/dream-model.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import type { Document } from '#core/records/document.ts';
import { dailyPath } from '#core/memory-files/paths.ts';
import type { SubjectRecord } from '#core/records/subject-record.ts';
import { connectTemporal, type TemporalClient } from '#providers/temporal/client.ts';
import { startWorker, type RunningWorker } from '#providers/temporal/worker.ts';
import { blockOf, lineOf } from '#test/conformance/document-samples.ts';
import { newSchedule } from '#test/conformance/dream-samples.ts';
import { PRICE, testPlace } from './fixture.ts';

/** Whose memory it is; the name must reach no history. */
export const PERSON = 'user/zaphod@example.org';

export interface DreamOptions {
  /** Called before each answer, with the number of calls so far; the dreamer has a price then. */
  readonly before?: (question: DreamQuestion, call: number) => Promise<void> | void;
  readonly address?: string;
}

type Around = (activities: AllActivities) => AllActivities;

export interface DreamStack extends AsyncDisposable {
  readonly parts: RefreshPorts;
  readonly temporal: TemporalClient;
  readonly dataDir: string;
  readonly address: string;
  readonly namespace: string;
  readonly tenant: string;
  readonly subjectId: string;
  /** What the dreamer was asked. */
  readonly questions: readonly DreamQuestion[];
  advance(ms: number): void;
  /** What stands between the worker and its activities may stop it. */
  startWorker(around?: Around): Promise<RunningWorker>;
  declare(differing?: Partial<TenantPolicy>): Promise<void>;
  /** A daily block of the person, or of another; old enough to be in its file. */
  append(
    lines: readonly string[],
    of?: Pick<SubjectRecord, 'subject' | 'subjectId'>,
  ): Promise<void>;
  /** Lets the round of a DeepDream be due now. */
  makeDue(dream: DreamPolicy): Promise<void>;
  /** One tick, as the schedule starts it. */
  tick(): Promise<number>;
  input(differing?: Partial<DreamInput>): DreamInput;
  start(differing?: Partial<DreamInput>): Promise<'Started' | 'Running'>;
  /** How the last dream of the person ended. */
  settled(): Promise<DreamResult>;
  documents(path: string): Promise<readonly Document[]>;
  /** The lines of MEMORY.md. */
  memory(): Promise<readonly string[]>;
  subject(): Promise<SubjectRecord>;
}

export async function openDreams(options: DreamOptions = {}): Promise<DreamStack> {
  const place = await testPlace(options.address);
  const { address, namespace } = place;
  await using held = new AsyncDisposableStack();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'varve-dreams-'));
  held.defer(() => rm(dataDir, { recursive: true, force: true }));
  const opened = held.use(await openParts({ dataDir, log: SILENT_LOG }));
  const time = { ahead: 0 };
  const platform = { ...opened.platform, clock: () => Date.now() + time.ahead };
  const questions: DreamQuestion[] = [];
  const models = withDreamer(opened.models, options, questions);
  const parts = { ...opened, platform, models };
  const temporal = held.use(await connectTemporal({ address, namespace }));
  const person = { tenant: `tenant-${randomUUID()}`, subjectId: platform.newId() };
  const running = held.move();
  return {
    parts,
    temporal,
    dataDir,
    address,
    namespace,
    ...person,
    questions,
    advance: (ms) => {
      time.ahead += ms;
    },
    startWorker: async (around = (activities) => activities) => {
      const plain = around(createActivities(parts, temporal, temporalCall));
      const activities = forTemporal(plain, SILENT_LOG);
      return startWorker({ ...place, activities, log: SILENT_LOG });
    },
    ...recordsOf(parts, time, person),
    ...runsOf(parts, temporal, person),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

type Person = Pick<DreamStack, 'tenant' | 'subjectId'>;

/** What a test writes and reads of the store. */
function recordsOf(
  { store, platform, calendar }: RefreshPorts,
  time: { ahead: number },
  { tenant, subjectId }: Person,
): Pick<DreamStack, 'declare' | 'append' | 'makeDue' | 'documents' | 'memory' | 'subject'> {
  const place = { tenant, subject: PERSON };
  return {
    declare: async (differing = {}) => {
      const policy = { ...defaultPolicy(tenant), ...differing };
      const owner = { cluster: 'test', namespace: 'test', name: tenant, uid: tenant };
      const hash = platform.digest(JSON.stringify(policy));
      await store.policies.put(owner, policy, { hash, now: platform.clock() });
    },
    append: async (texts) => {
      const at = platform.clock();
      const block = blockOf(tenant, 0, {
        subject: PERSON,
        path: dailyPath(calendar.dayOf(at, 'UTC')),
        id: platform.newId(),
        lines: texts.map((text) =>
          lineOf(0, { id: platform.newId(), heading: null, text, sources: [], at }),
        ),
        at,
      });
      await store.documents.append(block, { subjectId });
    },
    makeDue: async (dream) => {
      await store.dreamSchedules.put(newSchedule(tenant, dream, platform.clock()));
    },
    documents: (file) => store.documents.list({ ...place, path: file }, { after: 0, limit: 99 }),
    memory: async () => {
      const file = await store.documents.latest({ ...place, path: 'MEMORY.md' });
      return (file?.lines ?? []).map(({ text }) => text);
    },
    subject: async () => {
      const record = await store.subjects.get(tenant, PERSON);
      if (record === null) throw new Error('The person has no record.');
      return record;
    },
  };
}

/** What a test starts and waits for. */
function runsOf(
  { platform }: RefreshPorts,
  temporal: TemporalClient,
  { tenant, subjectId }: Person,
): Pick<DreamStack, 'tick' | 'input' | 'start' | 'settled'> {
  const { workflow } = temporal.client;
  const input = (differing: Partial<DreamInput> = {}): DreamInput => {
    const dreamId = platform.newId();
    return { tenant, subjectId, dreamId, round: null, lookbackDays: null, ...differing };
  };
  return {
    tick: async () => {
      const workflowId = `dream-tick-${randomUUID()}`;
      const options = { workflowId, taskQueue: TASK_QUEUE, args: [] as [] };
      const started: { started: number } = await workflow.execute('dreamTick', options);
      return started.started;
    },
    input,
    start: (differing) => temporal.dreams.start(input(differing)),
    settled: async () => {
      const run = workflow.getHandle(dreamWorkflowId({ subjectId }));
      return (await run.result()) as DreamResult;
    },
  };
}

/** The extractive dreamer; with a price under another name where a test looks at its calls. */
function withDreamer(models: Models, { before }: DreamOptions, questions: DreamQuestion[]): Models {
  if (before === undefined) return models;
  const { extractiveDreamer } = models;
  const metered: DreamModel = {
    ...extractiveDreamer,
    name: 'metered',
    price: PRICE,
    dream: async (question, call) => {
      questions.push(question);
      await before(question, questions.length);
      return extractiveDreamer.dream(question, call);
    },
  };
  return {
    ...models,
    ofClass: (modelClass) => ({ ...models.ofClass(modelClass), name: 'metered' }),
    dreamerByName: (name) => (name === metered.name ? metered : models.dreamerByName(name)),
  };
}
