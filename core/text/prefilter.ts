/**
 * Finds which of many patterns a text may match, in one pass over the text, so that only those are
 * tried: as RE2 does (`FilteredRE2`), by literals of which every match contains at least one. They
 * are derived ahead of time (derive-literals.ts), since that takes as long as a search.
 */
import { shortHash } from '../hash.ts';
import { once } from '../once.ts';
import { memoized } from './memoized.ts';
import STORED from './pattern-literals.json' with { type: 'json' };

/**
 * Characters of East Asian texts. Literals with them can't stand in other texts; texts with them
 * are not filtered, because most words of theirs are shorter than a literal may be.
 */
export const UNFILTERED = /[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/u;
const BUCKETS = 1 << 15;
const HASHED_UNITS = 4;
/** Several rules read the parts of a text one after another. */
const KEPT = { entriesMax: 64, unitsMax: 8_192 };

/** Folded literals, of which every match of a pattern contains one; null: none is known. */
export type LiteralsOf = (pattern: RegExp) => readonly string[] | null;

/** Characters whose lower case is all that a pattern with `iu` takes them for. */
const PLAIN = /^[ -~\s]*$/u;

/**
 * All that a pattern with `iu` takes for the same becomes the same: `ſ` and `s`, both small sigmas,
 * `ẞ` and `ß`. Lower case alone keeps them apart, and makes of a sigma what its neighbors ask for.
 */
export function folded(text: string): string {
  const small = text.toLowerCase();
  return PLAIN.test(small) ? small : small.toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

/** By the key of a pattern: its literals. */
const storedLiterals: Readonly<Record<string, readonly string[] | null>> = STORED;

/** Those of another pattern can't be meant: a test compares all. */
export function literalsKey({ source, flags }: RegExp): string {
  return shortHash(`${flags} ${source}`).toString(36);
}

/**
 * Answers which patterns a text may match, in the order given. One that is left out does not match;
 * one that is answered may not either, as one whose literals are not stored. The last texts are
 * kept with their answers.
 * @param patterns with the flag `u`, and `i` at most; others are always answered
 */
export function prefilter(
  patterns: readonly RegExp[],
  literalsOf: LiteralsOf = (pattern) => storedLiterals[literalsKey(pattern)] ?? null,
): (text: string) => ReadonlySet<RegExp> {
  const index = once(() => indexOf(patterns, literalsOf));
  const all = new Set(patterns);
  return memoized(
    (text) => (UNFILTERED.test(text) ? all : matching(folded(text), patterns, index())),
    KEPT,
  );
}

interface Literal {
  readonly text: string;
  /** The places of the patterns of whose matches it may be a part. */
  readonly patterns: readonly number[];
}

/** Literals by their first units: by four, so that few places of a text are looked at. */
interface LiteralTable {
  readonly units: number;
  /** By the hash of how a literal begins: whether there is one, and all of them. */
  readonly isUsed: Uint8Array;
  readonly literals: ReadonlyMap<number, readonly Literal[]>;
}

interface LiteralIndex {
  /** The places of patterns of which no literal is known. */
  readonly always: readonly number[];
  readonly tables: readonly LiteralTable[];
}

function indexOf(patterns: readonly RegExp[], literalsOf: LiteralsOf): LiteralIndex {
  const always: number[] = [];
  const byLiteral = new Map<string, number[]>();
  for (const [at, pattern] of patterns.entries()) {
    const literals = literalsOf(pattern);
    if (literals === null) always.push(at);
    for (const literal of literals?.filter((each) => !UNFILTERED.test(each)) ?? []) {
      byLiteral.set(literal, [...(byLiteral.get(literal) ?? []), at]);
    }
  }
  const all = [...byLiteral].map(([text, own]) => ({ text, patterns: own }));
  const bySize = Map.groupBy(all, ({ text }) => Math.min(HASHED_UNITS, text.length));
  return { always, tables: [...bySize].map(([units, own]) => tableOf(units, own)) };
}

function tableOf(units: number, own: readonly Literal[]): LiteralTable {
  const literals = Map.groupBy(own, ({ text }) => bucketAt(text, 0, units));
  const isUsed = new Uint8Array(BUCKETS);
  for (const bucket of literals.keys()) isUsed[bucket] = 1;
  return { units, isUsed, literals };
}

function bucketAt(text: string, at: number, units: number): number {
  let hash = 0;
  for (let next = at; next < at + units; next += 1) hash = (hash << 5) ^ text.charCodeAt(next);
  return (hash ^ (hash >> 15)) & (BUCKETS - 1);
}

/** Adds the places of the patterns of which a literal stands in the text. */
function addPlaces(
  text: string,
  { units, isUsed, literals }: LiteralTable,
  found: Set<number>,
): void {
  for (let at = 0; at + units <= text.length; at += 1) {
    const bucket = bucketAt(text, at, units);
    if (isUsed[bucket] === 0) continue;
    for (const literal of literals.get(bucket) ?? []) {
      if (!text.startsWith(literal.text, at)) continue;
      for (const pattern of literal.patterns) found.add(pattern);
    }
  }
}

function matching(
  text: string,
  patterns: readonly RegExp[],
  { always, tables }: LiteralIndex,
): ReadonlySet<RegExp> {
  const found = new Set(always);
  for (const table of tables) addPlaces(text, table, found);
  const inOrder = [...found].toSorted((a, b) => a - b);
  return new Set(inOrder.flatMap((place) => patterns[place] ?? []));
}
