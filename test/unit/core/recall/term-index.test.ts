import { describe, expect, test } from 'vitest';

import { shortHash } from '#core/hash.ts';
import {
  NO_NUMBER,
  numberIn,
  numberOfHash,
  slotsOf,
  soughtTerm,
  soughtTerms,
  termIndex,
  type TermIndex,
} from '#core/recall/term-index.ts';

const words = Array.from({ length: 60_000 }, (_, at) => `word${String(at)}`);
/** Of words that end in the same place of a small table, as one may choose them. */
const alike = words.filter((word) => (shortHash(word) & 0xff) === 7);

function indexOf(terms: readonly string[]): TermIndex {
  return termIndex([{ turn: 0, terms, names: [] }], true);
}

function numbersOf(index: TermIndex, terms: readonly string[]): readonly number[] {
  return terms.map((term) => numberIn(index, soughtTerm(term)));
}

describe('the numbers of terms', () => {
  test('identify each of many terms, and no other term', () => {
    const [own, foreign] = [words.slice(0, 5_000), words.slice(5_000)];
    const index = indexOf(own);

    expect(numbersOf(index, own)).toEqual(own.map((_, at) => at));
    expect(new Set(numbersOf(index, foreign))).toEqual(new Set([NO_NUMBER]));
  });

  test('identify terms with colliding hashes', () => {
    const [own, foreign] = [alike.slice(0, 100), alike.slice(100)];
    const index = indexOf(own);

    expect(index.others.size).toBeGreaterThan(0);
    expect(numbersOf(index, own)).toEqual(own.map((_, at) => at));
    expect(new Set(numbersOf(index, foreign))).toEqual(new Set([NO_NUMBER]));
  });

  test('are missing from an empty index', () => {
    expect(numbersOf(termIndex([], true), words.slice(0, 3))).toEqual([
      NO_NUMBER,
      NO_NUMBER,
      NO_NUMBER,
    ]);
  });

  test('differ for words with the same beginning in English sessions, but not in others', () => {
    const [kept, asked] = [['present', 'presentation'], 'presentable'];
    const whole = termIndex([{ turn: 0, terms: kept, names: [] }], true);
    const begun = termIndex([{ turn: 0, terms: kept, names: [] }], false);
    expect(numbersOf(whole, [...kept, asked])).toEqual([0, 1, NO_NUMBER]);
    expect(numbersOf(begun, [...kept, asked])).toEqual([0, 0, 0]);
  });

  test('count two query terms with the same beginning once if terms match by beginning', () => {
    const asked = soughtTerms(['communicate', 'community']);
    const numbersIn = (isWhole: boolean) => {
      const terms = ['communicate', 'community'];
      const index = termIndex([{ turn: 0, terms, names: [] }], isWhole);
      return asked.map((term) => numberIn(index, term));
    };
    expect([numbersIn(true), numbersIn(false)]).toEqual([
      [0, 1],
      [0, NO_NUMBER],
    ]);
  });
});

describe('a table of hashes', () => {
  test('has the place of each hash, and of no other', () => {
    const [own, foreign] = [words.slice(0, 500), words.slice(500)];
    const { slots, left } = slotsOf(own.map(shortHash), 16);

    expect(left).toEqual([]);
    expect(own.map((word) => numberOfHash(slots, shortHash(word)))).toEqual(own.map((_, at) => at));
    expect(new Set(foreign.map((word) => numberOfHash(slots, shortHash(word))))).toEqual(
      new Set([NO_NUMBER]),
    );
  });

  test('leaves out missing hashes, and lists what colliding hashes leave no slot for', () => {
    const { slots, left } = slotsOf([null, ...alike.slice(0, 100).map(shortHash)]);

    const found = alike.slice(0, 100).map((word) => numberOfHash(slots, shortHash(word)));
    expect(found.flatMap((number, at) => (number === NO_NUMBER ? [at + 1] : []))).toEqual(left);
    expect(left.length).toBeGreaterThan(0);
  });

  test('finds nothing if it is empty', () => {
    expect(numberOfHash(slotsOf([]).slots, 0)).toBe(NO_NUMBER);
  });
});
