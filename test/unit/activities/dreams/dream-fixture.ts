/**
 * The activities of dreams over a store in memory, with a clock and a model that a test controls.
 */
import { codeOf } from '../refresh-fixture.ts';
import { dreamActivities } from '#activities/dreams/dream-activities.ts';
import type { DreamPorts } from '#activities/dreams/dream-ports.ts';
import { dreamAnswerText, type AnsweredLine } from '#core/dreams/dream-answer.ts';
import type { DreamActivities, DreamInput, DreamResult } from '#core/dreams/dream-contract.ts';
import { runDream } from '#core/dreams/dream-run.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { DreamModel, DreamQuestion } from '#core/ports/dream-model.ts';
import type { DreamRuns } from '#core/ports/dream-runs.ts';
import { NO_METRICS, type Metrics } from '#core/ports/metrics.ts';
import { SILENT_LOG, type Log } from '#core/ports/platform.ts';
import { NO_TRACING } from '#core/ports/tracing.ts';
import type { Price } from '#core/ports/model.ts';
import type { BlockAnnouncement } from '#core/ports/document-records.ts';
import type { Document } from '#core/records/document.ts';
import { dailyPath } from '#core/memory-files/paths.ts';
import type { SubjectRecord } from '#core/records/subject-record.ts';
import { createExtractiveModel } from '#providers/extractive/extractive-model.ts';
import { createCalendar } from '#providers/node/calendar.ts';
import { CHARACTER_COUNTER } from '#providers/tokenizers/token-counter.ts';
import type { Open, Opened } from '#test/conformance/adapter.ts';
import { ANN, blockOf, lineOf, subjectIdOf } from '#test/conformance/document-samples.ts';
import { openSqlite } from '#test/conformance/sqlite-adapter.ts';
import { digest, NOW, ownerOf } from '#test/conformance/samples.ts';

export const TENANT = 'acme';
export const ANN_ID = subjectIdOf(1);
export const PRICE: Price = {
  inputMicroDollarsPerMillion: 1_000_000,
  outputMicroDollarsPerMillion: 2_000_000,
};
/** What the model answers to a question; what it throws, the model throws. */
export type Answers = (question: DreamQuestion, call: number) => string | Promise<string>;

export interface FixtureOptions {
  /** A store in memory if absent. */
  readonly open?: Open;
  readonly answers?: Answers;
  /** Of the dreamer without a model. */
  readonly fallback?: Answers;
  readonly runs?: DreamRuns;
  readonly metrics?: Metrics;
  readonly log?: Partial<Log>;
}

export interface DreamFixture extends AsyncDisposable {
  readonly opened: Opened;
  readonly ports: DreamPorts;
  /** Over the store as it is open now. */
  activities(): DreamActivities;
  readonly questions: readonly DreamQuestion[];
  now(): number;
  advance(ms: number): void;
  declare(differing?: Partial<TenantPolicy>): Promise<void>;
  /** A block of Ann's, or of another's, at the time that it is. */
  append(
    lines: readonly string[],
    of?: { readonly subject: string } & BlockAnnouncement,
  ): Promise<Document>;
  dream(differing?: Partial<DreamInput>): Promise<DreamResult>;
  /** The lines of MEMORY.md. */
  memory(): Promise<readonly string[]>;
  blocks(path: string): Promise<readonly Document[]>;
  subject(): Promise<SubjectRecord>;
}

export async function openDreamFixture(options: FixtureOptions = {}): Promise<DreamFixture> {
  const opened = await (options.open?.() ?? openSqlite({ stepsAt: 'Writes' }));
  const time = { now: NOW };
  const questions: DreamQuestion[] = [];
  const ids = { last: 0 };
  // Ids that sort as they are made, and the same in every run of a test.
  const newId = (): string => {
    ids.last += 1;
    return `00000000-0000-7000-8000-${String(ids.last).padStart(12, '0')}`;
  };
  const ports: DreamPorts = {
    get store() {
      return opened.store;
    },
    platform: {
      ...{ clock: () => time.now, newId, digest, tracing: NO_TRACING },
      log: { ...SILENT_LOG, ...options.log },
    },
    models: modelsOf(modelOf(options.answers ?? keepAll, questions), options.fallback),
    tokens: CHARACTER_COUNTER,
    metrics: options.metrics ?? NO_METRICS,
    calendar: createCalendar(),
  };
  const { signal } = new AbortController();
  const activities = (): DreamActivities =>
    dreamActivities({
      ports,
      portsOf: () => Promise.resolve(ports),
      runs: () => options.runs,
      callOf: () => ({ signal }),
    });
  return {
    opened,
    ports,
    activities,
    questions,
    now: () => time.now,
    advance: (ms) => {
      time.now += ms;
    },
    ...recordsOf(ports),
    dream: (differing = {}) =>
      runDream(activities(), { ...inputOf(newId()), ...differing }, { codeOf }),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** What a test writes and reads of the store. */
function recordsOf(
  ports: DreamPorts,
): Pick<DreamFixture, 'declare' | 'append' | 'memory' | 'blocks' | 'subject'> {
  const { platform, calendar } = ports;
  const { newId, clock } = platform;
  return {
    declare: async (differing = {}) => {
      const policy = { ...defaultPolicy(TENANT), ...differing };
      const hash = digest(JSON.stringify(policy));
      await ports.store.policies.put(ownerOf('test'), policy, { hash, now: clock() });
    },
    append: async (lines, { subject, ...announcement } = { subject: ANN, subjectId: ANN_ID }) => {
      const at = clock();
      const block = blockOf(TENANT, 0, {
        subject,
        path: dailyPath(calendar.dayOf(at, 'UTC')),
        id: newId(),
        lines: lines.map((text) =>
          lineOf(0, { id: newId(), heading: null, text, sources: [], at }),
        ),
        at,
      });
      return (await ports.store.documents.append(block, announcement)).document;
    },
    memory: async () => {
      const place = { tenant: TENANT, subject: ANN, path: 'MEMORY.md' };
      return ((await ports.store.documents.latest(place))?.lines ?? []).map(({ text }) => text);
    },
    blocks: (path) =>
      ports.store.documents.list({ tenant: TENANT, subject: ANN, path }, { after: 0, limit: 99 }),
    subject: async () => {
      const record = await ports.store.subjects.get(TENANT, ANN);
      if (record === null) throw new Error('Ann has no record.');
      return record;
    },
  };
}

export function inputOf(dreamId: string): DreamInput {
  return { tenant: TENANT, subjectId: ANN_ID, dreamId, round: null, lookbackDays: null };
}

/** MEMORY.md as it is, and each line of the new blocks besides; notes the first. */
export function keepAll({ memory, daily, headings, readBefore }: DreamQuestion): string {
  const kept = memory.map(({ id, text }) => answered(text, id, headings.get(id) ?? null));
  const fresh = daily.filter(({ id }) => !readBefore.has(id));
  const added = fresh.flatMap(({ id, text }) => text.split('\n').map((line) => answered(line, id)));
  const diary = added.slice(0, 1).map(({ text }) => text);
  return dreamAnswerText({ lines: [...kept, ...added], diary, isWhole: true });
}

export function answered(
  text: string,
  source: string,
  heading: string | null = null,
): AnsweredLine {
  return { heading, text, sources: [source] };
}

function modelsOf(model: DreamModel, fallback: Answers = keepAll): DreamPorts['models'] {
  return {
    ofClass: () => model,
    byName: () => undefined,
    extractive: createExtractiveModel(CHARACTER_COUNTER),
    dreamerByName: (name) => (name === model.name ? model : undefined),
    extractiveDreamer: { ...modelOf(fallback, []), name: 'extractive', price: null },
  };
}

function modelOf(answers: Answers, questions: DreamQuestion[]): DreamModel {
  return {
    name: 'stub',
    price: PRICE,
    inputTokensMax: 32_000,
    outputTokensMax: 16_000,
    revision: '1',
    usageMax: ({ memory, daily }) => ({
      inputTokens: 100 + [...memory, ...daily].reduce((sum, { bytes }) => sum + bytes, 0),
      outputTokens: 1_000,
    }),
    dream: async (question) => {
      questions.push(question);
      const text = await answers(question, questions.length);
      return { text, usage: { inputTokens: 100, outputTokens: 10 } };
    },
  };
}
