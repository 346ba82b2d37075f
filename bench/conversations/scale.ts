/**
 * Contexts over very many turns: one person, hundreds of sessions of made-up words, seeded. It
 * measures how long a context takes and how much of its limit it uses; its content means nothing.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { openVarve } from '#cli/open-varve.ts';

import { madeUpMemories, SEED, seeded } from '../search/made-up-memories.ts';

/** Sessions of one person; 300 is the least that counts as many. */
const SIZES = [
  { sessions: 350, turnsEach: 30 },
  { sessions: 1_000, turnsEach: 100 },
] as const;
const TURNS_OF_A_CALL_MAX = 1_000;
const LIMIT = 1_000;
/** Asked before the measured ones, so that the process is warm. */
const QUESTIONS_BEFORE = 60;
const QUESTIONS = 120;
/** Asked last, each after two new turns of one session. */
const QUESTIONS_AFTER_TURNS = 20;
const DAY_MS = 86_400_000;
const BEGUN_AT = Date.parse('2024-01-01T09:00:00Z');
const TENANT = 'bench';
const USER = 'person';

type Varve = Awaited<ReturnType<typeof openVarve>>;

/** Prints one line for each size. */
export async function runScale(sizes: readonly (typeof SIZES)[number][] = SIZES): Promise<void> {
  for (const size of sizes) {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'varve-scale-'));
    try {
      const told = await measureOnce(dataDir, size);
      await using varve = await openVarve({ dataDir });
      const { ms } = await ask(varve, told, 0);
      console.log(`${told.turns} turns, opened again: first ${ms.toFixed(0)} ms`);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  }
}

async function measureOnce(dataDir: string, size: (typeof SIZES)[number]): Promise<Told> {
  await using varve = await openVarve({ dataDir });
  const told = await tell(varve, size);
  await measure(varve, told);
  return told;
}

interface Told {
  readonly turns: number;
  readonly questionOf: (at: number) => string;
  readonly endsAt: number;
}

async function tell(varve: Varve, { sessions, turnsEach }: (typeof SIZES)[number]): Promise<Told> {
  const turns = sessions * turnsEach;
  const { memories, questionOf } = madeUpMemories(turns, SEED);
  const random = seeded(SEED);
  for (let session = 0; session < sessions; session += 1) {
    const said = memories.slice(session * turnsEach, (session + 1) * turnsEach);
    const at = BEGUN_AT + session * DAY_MS;
    for (let from = 0; from < said.length; from += TURNS_OF_A_CALL_MAX) {
      await varve.conversation.append({
        tenant: TENANT,
        sessionId: `s${String(session)}`,
        identifiers: { userId: USER },
        turns: said.slice(from, from + TURNS_OF_A_CALL_MAX).map((words, index) => ({
          role: (from + index) % 2 === 0 ? 'user' : 'assistant',
          content: inSentences(words, random),
          at: at + (from + index) * 1_000,
        })),
      });
    }
  }
  return { turns, questionOf, endsAt: BEGUN_AT + sessions * DAY_MS };
}

/** Splits the words into one to three sentences. */
function inSentences(words: string, random: () => number): string {
  const each = words.split(' ');
  const length = Math.ceil(each.length / (1 + Math.floor(random() * 3)));
  const sentences: string[] = [];
  for (let from = 0; from < each.length; from += length) {
    const [first = '', ...rest] = each.slice(from, from + length);
    sentences.push(`${[first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(' ')}.`);
  }
  return sentences.join(' ');
}

async function ask(varve: Varve, { questionOf, endsAt }: Told, at: number) {
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const { tokens } = await varve.context.assemble({
    tenant: TENANT,
    identifiers: { userId: USER, sessionId: `asked-${String(at)}` },
    query: questionOf(at),
    maxTokens: LIMIT,
    at: endsAt,
  });
  const ms = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  return { ms, cpuMs: (user + system) / 1_000, used: tokens / LIMIT };
}

async function measure(varve: Varve, told: Told): Promise<void> {
  const { turns } = told;
  const all: Awaited<ReturnType<typeof ask>>[] = [];
  for (let at = 0; at < QUESTIONS_BEFORE + QUESTIONS; at += 1) all.push(await ask(varve, told, at));
  const [first, ...early] = all.slice(0, QUESTIONS_BEFORE);
  const asked = all.slice(QUESTIONS_BEFORE);
  const earlyMs = shares(early.map((each) => each.ms));
  const ms = shares(asked.map((each) => each.ms));
  const cpuMs = shares(asked.map((each) => each.cpuMs));
  const used = shares(asked.map((each) => 100 * each.used));
  const between = `${earlyMs.median.toFixed(1)}, p95 ${earlyMs.most.toFixed(1)}`;
  console.log(
    `${turns} turns: first ${(first?.ms ?? 0).toFixed(0)} ms; ` +
      `the next ${QUESTIONS_BEFORE - 1} of p50 ${between} ms; ` +
      `then p50 ${ms.median.toFixed(1)}, p95 ${ms.most.toFixed(1)} ms ` +
      `(CPU ${cpuMs.median.toFixed(1)}, ${cpuMs.most.toFixed(1)}); ` +
      `used of ${LIMIT} tokens: median ${used.median.toFixed(0)} %`,
  );
  const after = shares(await cpuAfterTurns(varve, told));
  console.log(
    `${turns} turns: each after two new turns, ` +
      `CPU p50 ${after.median.toFixed(1)}, p95 ${after.most.toFixed(1)} ms`,
  );
}

/** Returns the CPU of questions that are asked after two more turns of the first session. */
async function cpuAfterTurns(varve: Varve, told: Told): Promise<readonly number[]> {
  const all: number[] = [];
  for (let at = 0; at < QUESTIONS_AFTER_TURNS; at += 1) {
    const content = `${told.questionOf(at)}.`;
    await varve.conversation.append({
      tenant: TENANT,
      sessionId: 's0',
      identifiers: { userId: USER },
      turns: [
        { role: 'user', content, at: told.endsAt },
        { role: 'assistant', content, at: told.endsAt },
      ],
    });
    all.push((await ask(varve, told, QUESTIONS_BEFORE + QUESTIONS + at)).cpuMs);
  }
  return all;
}

/** Returns the median and the 95th percentile. */
function shares(values: readonly number[]): { readonly median: number; readonly most: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { median: at(0.5), most: at(0.95) };
}
