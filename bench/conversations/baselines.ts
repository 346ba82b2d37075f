/** Baselines for contexts: the same limit, filled in the simplest ways. */
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import type { TokenCounter } from '#core/ports/token-counter.ts';

import type { Person, Question, Said } from './data.ts';

export interface Tools {
  readonly analyzer: TextAnalyzer;
  readonly tokens: TokenCounter;
}

export interface Asked {
  readonly person: Person;
  readonly question: Question;
  readonly limit: number;
}

export type Baseline = (asked: Asked) => string;

interface Line {
  readonly turn: Said;
  readonly line: string;
  readonly cost: number;
  readonly session: string;
  readonly terms: readonly string[];
}

export function baselinesOf(tools: Tools): ReadonlyMap<string, Baseline> {
  const known = new Map<Person, readonly Line[]>();
  const linesOf = (person: Person): readonly Line[] => {
    const lines = known.get(person) ?? said(person, tools);
    known.set(person, lines);
    return lines;
  };
  return new Map<string, Baseline>([
    [
      'BM25 over turns',
      ({ person, question, limit }) => packed(byWords(linesOf(person), question, tools), limit),
    ],
    [
      'BM25, one neighbor',
      ({ person, question, limit }) => {
        const lines = linesOf(person);
        return packed(withNeighbors(lines, byWords(lines, question, tools)), limit);
      },
    ],
    ['recency only', ({ person, limit }) => packed(linesOf(person).toReversed(), limit)],
    ['everything', ({ person }) => packed(linesOf(person), Number.POSITIVE_INFINITY)],
  ]);
}

/** Returns what was said and not deleted, in order. */
function said(person: Person, { analyzer, tokens }: Tools): readonly Line[] {
  return person.sessions.flatMap(({ id: session, turns }) =>
    turns
      .filter(({ id }) => !person.deleted.has(id))
      .map((turn) => {
        const line = `${turn.speaker ?? turn.role}: ${turn.text}`;
        return { turn, line, session, cost: tokens.count(line), terms: analyzer.terms(turn.text) };
      }),
  );
}

function packed(ranked: readonly Line[], limit: number): string {
  let left = limit;
  const shown: string[] = [];
  for (const { line, cost } of ranked) {
    if (cost + 1 > left) continue;
    left -= cost + 1;
    shown.push(line);
  }
  return shown.join('\n');
}

function withNeighbors(lines: readonly Line[], ranked: readonly Line[]): readonly Line[] {
  const places = new Map(lines.map((line, index) => [line, index]));
  const order = new Set<Line>();
  for (const line of ranked) {
    const at = places.get(line) ?? 0;
    for (const near of [line, lines[at + 1], lines[at - 1]]) {
      if (near?.session === line.session) order.add(near);
    }
  }
  return [...order];
}

const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;

/** Ranks turns by Okapi BM25; turns without a word of the question are left out. */
function byWords(lines: readonly Line[], question: Question, { analyzer }: Tools): readonly Line[] {
  const having = new Map<string, number>();
  for (const { terms } of lines) {
    for (const term of new Set(terms)) having.set(term, (having.get(term) ?? 0) + 1);
  }
  const average = lines.reduce((sum, { terms }) => sum + terms.length, 0) / lines.length;
  const asked = new Set(analyzer.terms(question.text));
  const scored = lines.map((line) => {
    let score = 0;
    for (const term of asked) {
      const count = line.terms.filter((each) => each === term).length;
      const among = having.get(term) ?? 0;
      const rarity = Math.log(1 + (lines.length - among + 0.5) / (among + 0.5));
      const length = 1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * line.terms.length) / average;
      score += (rarity * count * (SATURATION + 1)) / (count + SATURATION * length);
    }
    return { line, score };
  });
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ line }) => line);
}
