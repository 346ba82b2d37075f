/**
 * `npm run bench -- everyday`: ten or twelve one-line memories and everyday questions about them,
 * in four languages (test/everyday/). It measures for how many questions a search at its default
 * threshold finds the memory: in the memory's words, in other forms of them, and in other words. It
 * also measures how many questions about something else, or about what was never said, find
 * nothing. Offline, with the built-in embedder.
 *
 * The authors of `other-people.jsonl` and `later-people.jsonl` had not seen the search. No choice
 * was made on the latter.
 *
 * `--misses` prints the mistakes of the development half.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { openVarve } from '#cli/open-varve.ts';

const SETS = ['people.jsonl', 'other-people.jsonl', 'later-people.jsonl'].map(
  (name) => new URL(`../test/everyday/${name}`, import.meta.url),
);
const HALVES = ['develop', 'report'] as const;

interface Question {
  readonly asked: string;
  readonly memory: number;
}

interface Person {
  readonly id: string;
  readonly lang: string;
  readonly memories: readonly string[];
  readonly questions: readonly Question[];
  readonly inOtherForms?: readonly Question[];
  readonly inOtherWords: readonly Question[];
  readonly unrelated: readonly string[];
  readonly unsaid: readonly string[];
}

const KINDS = ['questions', 'inOtherForms', 'inOtherWords', 'unrelated', 'unsaid'] as const;

interface Outcome {
  readonly half: (typeof HALVES)[number];
  readonly kind: (typeof KINDS)[number];
  readonly lang: string;
  readonly asked: string;
  /** Whether the memory is among the hits, or there are no hits if there is nothing to find. */
  readonly isRight: boolean;
  readonly hits: readonly string[];
}

export async function run(args: readonly string[]): Promise<void> {
  for (const set of SETS) {
    console.log(path.basename(set.pathname));
    await measure(set, args);
  }
}

async function measure(set: URL, args: readonly string[]): Promise<void> {
  const lines = (await readFile(set, 'utf8')).trim().split('\n');
  const people = lines.map((line) => JSON.parse(line) as Person);
  const outcomes = await outcomesOf(people);
  console.log(
    '           found in its words  in other forms  in other words' +
      '  unrelated, empty  unsaid, empty',
  );
  for (const half of HALVES) {
    const ofHalf = outcomes.filter((each) => each.half === half);
    printRow(half, ofHalf);
    for (const [lang, group] of Map.groupBy(ofHalf, (each) => each.lang)) {
      printRow(`  ${lang}`, group);
    }
  }
  if (!args.includes('--misses')) return;
  for (const { half, kind, asked, isRight, hits } of outcomes) {
    if (half !== 'develop' || isRight) continue;
    console.log(`${kind.padEnd(13)} ${asked}${hits.map((hit) => `\n    ${hit}`).join('')}`);
  }
}

function printRow(name: string, outcomes: readonly Outcome[]): void {
  const cells = KINDS.map((kind) => {
    const asked = outcomes.filter((each) => each.kind === kind);
    return `${asked.filter(({ isRight }) => isRight).length} of ${asked.length}`;
  });
  const widths = [18, 16, 16, 18, 15];
  console.log(name.padEnd(11) + cells.map((cell, at) => cell.padStart(widths[at] ?? 0)).join(''));
}

async function outcomesOf(people: readonly Person[]): Promise<readonly Outcome[]> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'varve-everyday-'));
  try {
    await using varve = await openVarve({ dataDir, settings: {} });
    const outcomes: Outcome[] = [];
    for (const person of people) {
      const of = { tenant: 'bench', identifiers: { userId: person.id } };
      for (const content of person.memories) {
        await varve.memory.add({ ...of, layer: 'user', content });
      }
      for (const { kind, asked, right } of askedOf(person)) {
        const { hits } = await varve.memory.search({ ...of, query: asked, order: 'relevance' });
        const isRight =
          right === null ? hits.length === 0 : hits.some(({ text }) => text === right);
        const shown = hits.map(({ score, text }) => `${score.toFixed(2)} ${text}`);
        const half = halfOf(asked);
        outcomes.push({ half, kind, lang: person.lang, asked, isRight, hits: shown });
      }
    }
    return outcomes;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

function askedOf(person: Person) {
  return KINDS.flatMap((kind) =>
    (person[kind] ?? []).map((question) => {
      if (typeof question === 'string') return { kind, asked: question, right: null };
      const { asked, memory } = question;
      return { kind, asked, right: person.memories[memory] ?? null };
    }),
  );
}

/** Splits by a hash, so that nobody chooses which question is in which half. */
function halfOf(asked: string): (typeof HALVES)[number] {
  const [first = 0] = createHash('sha256').update(asked).digest();
  return first % 2 === 0 ? 'develop' : 'report';
}
