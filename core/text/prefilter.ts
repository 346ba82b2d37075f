/**
 * Finds in one pass which of many patterns a text may match, so that only those are tried. Like
 * RE2's `FilteredRE2`, uses literals of which every match contains at least one. They are derived
 * ahead of time (test/derive-literals.ts), since that takes as long as a search.
 */
import { shortHash } from '../hash.ts';
import { once } from '../once.ts';
import { memoized } from './memoized.ts';
import type { Pattern } from './pattern.ts';
import STORED from './pattern-literals.json' with { type: 'json' };

/**
 * Characters of East Asian texts. Texts with them are not filtered, because most of their words are
 * shorter than the shortest literal. Other texts contain no literal with them.
 */
export const UNFILTERED = /[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/u;
const BUCKETS = 1 << 15;
const HASHED_UNITS = 4;
/** Cache limits: several rules read the parts of a text one after another. */
const KEPT = { entriesMax: 64, unitsMax: 8_192 };

/** Returns folded literals of which every match of a pattern contains one; null if unknown. */
type LiteralsOf = (pattern: Pattern) => readonly string[] | null;

/** ASCII text, which needs no folding beyond lower case. */
const PLAIN = /^[ -~\s]*$/u;

/**
 * Gives one form to all characters that a pattern with `iu` equates: `ſ` and `s`, both small
 * sigmas, `ẞ` and `ß`. Lower case alone keeps these apart, and picks a sigma by its neighbors.
 */
export function folded(text: string): string {
  const small = text.toLowerCase();
  return PLAIN.test(small) ? small : small.toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

/** The literals of a pattern, by its key. */
const storedLiterals: Readonly<Record<string, readonly string[] | null>> = STORED;

/** Returns the key of a pattern in the stored literals. A test checks that no two are equal. */
export function literalsKey({ source, flags }: Pattern): string {
  return shortHash(`${flags} ${source}`).toString(36);
}

/**
 * Returns a function that finds the patterns a text may match, in the order given. A pattern that
 * it leaves out does not match. One that it returns may not match either, such as one without
 * stored literals. The results for the last texts are cached.
 * @param patterns with the flag `u`, and at most `i`; others are always returned
 */
export function prefilter(
  patterns: readonly Pattern[],
  literalsOf: LiteralsOf = (pattern) => storedLiterals[literalsKey(pattern)] ?? null,
): (text: string) => ReadonlySet<Pattern> {
  const index = once(() => indexOf(patterns, literalsOf));
  const all = new Set(patterns);
  return memoized(
    (text) => (UNFILTERED.test(text) ? all : matching(folded(text), patterns, index())),
    KEPT,
  );
}

/**
 * Returns a test by one pattern with stored literals. Only a text with one of them compiles it,
 * which takes milliseconds for a long pattern.
 */
export function likelyTest(pattern: Pattern): (text: string) => boolean {
  const likely = prefilter([pattern]);
  return (text) => likely(text).has(pattern) && pattern.test(text);
}

interface Literal {
  readonly text: string;
  /** The places of the patterns whose matches may contain it. */
  readonly patterns: readonly number[];
}

/** A hash table of literals by their first units, up to four, so that few places match. */
interface LiteralTable {
  readonly units: number;
  /** By the hash of the first units: whether a literal begins so, and all that do. */
  readonly isUsed: Uint8Array;
  readonly literals: ReadonlyMap<number, readonly Literal[]>;
}

interface LiteralIndex {
  /** The places of patterns without known literals. */
  readonly always: readonly number[];
  /** These patterns, the result for most texts. */
  readonly none: ReadonlySet<Pattern>;
  readonly tables: readonly LiteralTable[];
}

function indexOf(patterns: readonly Pattern[], literalsOf: LiteralsOf): LiteralIndex {
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
  const none = new Set(always.flatMap((place) => patterns[place] ?? []));
  return { always, none, tables: [...bySize].map(([units, own]) => tableOf(units, own)) };
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

/** Adds the places of the patterns that have a literal in the text. */
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
  patterns: readonly Pattern[],
  { always, none, tables }: LiteralIndex,
): ReadonlySet<Pattern> {
  const found = new Set(always);
  for (const table of tables) addPlaces(text, table, found);
  if (found.size === always.length) return none;
  const inOrder = [...found].toSorted((a, b) => a - b);
  return new Set(inOrder.flatMap((place) => patterns[place] ?? []));
}
