/** Work in progress during an erasure writes none of the erased text, even if it read it before. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { libraryOf, type Library } from '#api/library.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { apiPortsOf, openParts, type Parts } from '#cli/composition-root.ts';
import { flushInProcess, dreamsInProcess, refreshInProcess } from '#cli/in-process-work.ts';
import { VarveError } from '#core/errors.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { erase } from '#memory/erase.ts';
import type { ErasureTarget } from '#core/records/erasure.ts';
import { SEED } from '#test/fault-injection/seeded-sample.ts';
import { tracesIn } from '#test/conformance/erasure-harness.ts';
import { NOW, ownerOf } from '#test/conformance/samples.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

const PERSON = { userId: 'dana', projectId: 'shop' } as const;
const PRICE = { inputMicroDollarsPerMillion: 1_000, outputMicroDollarsPerMillion: 1_000 };
/** More reads than any work of the tests has. */
const READS_MAX = 200;
/** One run takes each third read, beginning by the seed: three seeds in a row take all. */
const READS_STEP = 3;
/** Tries of an activity that fails. */
const TRIES_MAX = 5;

const held = new AsyncDisposableStack();
let folder: string;
let parts: Parts;
let library: Library;
/** Called after each read of a work and before each answer of a model. */
let onRead: () => Promise<void> = () => Promise.resolve();

beforeAll(async () => {
  ({ folder } = held.use(await temporaryFolder()));
  const model = (extractive: SummaryModel): SummaryModel => ({
    ...extractive,
    name: 'stub',
    price: PRICE,
    answer: async (batch, call) => {
      const [item] = batch.items;
      const facts = item?.sources.map(({ id, text }) => ({
        ...{ text, sources: [id], quote: text, kind: 'Self' },
      }));
      const text = JSON.stringify({ items: [{ item: item?.item, facts }] });
      const given =
        item?.task === 'Remember'
          ? { text, usage: { inputTokens: 50, outputTokens: 10 } }
          : await extractive.answer(batch, call);
      await onRead();
      return given;
    },
  });
  parts = held.use(await openParts({ dataDir: folder, log: SILENT_LOG, model }));
  library = libraryOf(apiPortsOf(parts, NO_REFRESH_TRIGGER, null), LOCAL_OPERATOR);
});
afterAll(() => held.disposeAsync());

const READ = /^(?:get|find|list|page|latest|ofFlush|ofBatch|byId|sources|search|entries|paths)$/u;

/** The same, with `onRead` after each read. */
function hooked<T extends object>(family: T): T {
  return Object.fromEntries(
    Object.entries(family).map(([name, method]: [string, unknown]) => {
      if (typeof method !== 'function' || !READ.test(name)) return [name, method];
      const read = method as (...given: readonly unknown[]) => Promise<unknown>;
      const late = async (...given: readonly unknown[]): Promise<unknown> => {
        const found = await read(...given);
        await onRead();
        return found;
      };
      return [name, late];
    }),
  ) as T;
}

function hookedParts(): Parts {
  const { store } = parts;
  const families = Object.fromEntries(
    Object.entries(store).map(([name, family]: [string, unknown]) => [
      name,
      typeof family === 'object' && family !== null && name !== 'erasures'
        ? hooked(family)
        : family,
    ]),
  );
  return { ...parts, store: { ...store, ...families }, provider: hooked(parts.provider) };
}

/** What a memory says that no turn does. */
function ownOf(mark: string): string {
  return `own${mark.slice(3)}`;
}

async function fill(tenant: string, mark: string): Promise<string> {
  const policy = { ...defaultPolicy(tenant), extraction: { modelClass: 'economy' } } as const;
  await parts.store.policies.put(ownerOf('test'), policy, { hash: tenant, now: NOW });
  const turns = [`I live in ${mark}.`, `We decided to use ${mark}sql for the orders of the shop.`];
  await library.conversation.append({
    ...{ tenant, sessionId: `session-${mark}`, identifiers: PERSON },
    turns: turns.map((content, at) => ({ id: `t${String(at)}`, role: 'user', content })),
  });
  const text = `The garden of ${ownOf(mark)} has 7 beds.`;
  const said = { tenant, identifiers: PERSON, layer: 'user', content: text } as const;
  const { memory } = await library.memory.add(said);
  const subject = { kind: 'user', id: PERSON.userId } as const;
  const lines = [{ text, sources: [memory.id] }];
  await library.daily.append({ tenant, subject, lines });
  return memory.id;
}

async function flush(tenant: string, mark: string): Promise<void> {
  const session = await parts.store.sessions.get(tenant, `session-${mark}`);
  const flushId = session?.flush?.id;
  if (flushId === undefined) return;
  await flushInProcess(
    { ...hookedParts(), refreshTrigger: NO_REFRESH_TRIGGER },
    { tenant, flushId },
  );
}

async function refresh(tenant: string): Promise<void> {
  await refreshInProcess(hookedParts(), tenant, 'Stale');
}

async function dream(tenant: string): Promise<void> {
  const [subject] = await parts.store.subjects.list(tenant, { after: '', limit: 1 });
  if (subject === undefined) return;
  const { subjectId } = subject;
  const of = { tenant, subjectId, round: null, lookbackDays: null };
  await dreamsInProcess(hookedParts()).dreams.start({ ...of, dreamId: parts.platform.newId() });
}

type Work = (tenant: string, mark: string) => Promise<void>;
const WORKS: Readonly<Record<string, readonly [before: readonly Work[], work: Work]>> = {
  flush: [[], flush],
  refresh: [[flush], refresh],
  dream: [[flush], dream],
};
const TARGETS: Readonly<Record<string, (mark: string, memory: string) => ErasureTarget>> = {
  memory: (_, id) => ({ kind: 'Memory', id }),
  person: () => ({ kind: 'User', id: PERSON.userId }),
  session: (mark) => ({ kind: 'Session', id: `session-${mark}` }),
  turn: (mark) => ({ kind: 'Turn', sessionId: `session-${mark}`, id: 't0' }),
  tenant: () => ({ kind: 'Tenant' }),
};

const CASES: readonly (readonly [work: string, target: string])[] = [
  ['flush', 'session'],
  ['flush', 'turn'],
  ['flush', 'person'],
  ['flush', 'tenant'],
  ['refresh', 'memory'],
  ['refresh', 'session'],
  ['refresh', 'turn'],
  ['refresh', 'person'],
  ['dream', 'memory'],
  ['dream', 'session'],
  ['dream', 'turn'],
  ['dream', 'person'],
];

/** Tries again, as a worker does. */
async function finished(work: () => Promise<void>): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof VarveError) || !error.retryable) throw error;
    }
  }
}

/** Whether the work had as many reads. */
async function interrupted(
  [name, target]: (typeof CASES)[number],
  readsBefore: number,
  leaks: number[],
): Promise<boolean> {
  const tenant = `${name}-${target}-${String(readsBefore)}`;
  const mark = `zyqx${name}${target}${String(readsBefore)}z`;
  const [before, work] = WORKS[name] ?? [[], flush];
  const memory = await fill(tenant, mark);
  for (const each of before) await each(tenant, mark);
  let reads = 0;
  let isErased = false;
  onRead = async () => {
    reads += 1;
    if (reads !== readsBefore) return;
    const erased = TARGETS[target]?.(mark, memory) ?? { kind: 'Tenant' };
    await erase(
      { ...parts, refreshTrigger: NO_REFRESH_TRIGGER },
      { tenant, target: erased, by: 'x' },
    );
    isErased = true;
  };
  try {
    await finished(() => work(tenant, mark));
  } finally {
    onRead = () => Promise.resolve();
  }
  // Another turn has the mark too.
  const said = target === 'turn' ? `I live in ${mark}.` : mark;
  const isOnlySaid = target === 'session' || target === 'turn';
  const words = [target === 'memory' ? '' : said, isOnlySaid ? '' : ownOf(mark)];
  for (const word of isErased ? words.filter(Boolean) : []) {
    if ((await tracesIn(folder, word)).length > 0) leaks.push(readsBefore);
  }
  return isErased;
}

test.each(CASES)(
  'a %s keeps nothing of a %s that is erased while it runs',
  {
    timeout: 600_000,
  },
  async (...of) => {
    /** After which reads. */
    const leaks: number[] = [];
    let readsBefore = 1 + (SEED % READS_STEP);
    while (readsBefore < READS_MAX && (await interrupted(of, readsBefore, leaks))) {
      readsBefore += READS_STEP;
    }
    expect(leaks).toEqual([]);
    expect(readsBefore).toBeGreaterThan(5);
    expect(readsBefore).toBeLessThan(READS_MAX);
  },
);
