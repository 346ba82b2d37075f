import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { shortHash } from '#core/hash.ts';
import {
  formsInSessions,
  NO_NUMBER,
  numberIn,
  numberOfHash,
  slotsOf,
  hashedTerm,
  hashedTerms,
  termIndex,
  type TermIndex,
} from '#core/recall/words/term-index.ts';
import { formsIn } from '#core/search/word-forms.ts';

const words = Array.from({ length: 60_000 }, (_, at) => `word${String(at)}`);
/** Of words that end in the same place of a small table, as one may choose them. */
const alike = words.filter((word) => (shortHash(word) & 0xff) === 7);

/** Returns the index of a session with one passage, which has these terms once. */
function indexOf(terms: readonly string[], isWhole = true): TermIndex {
  const numbers = Uint32Array.from(terms.keys());
  const lengths = Uint32Array.of(terms.length);
  const turnOf = Uint32Array.of(0);
  return termIndex({ words: terms, turnOf, lengths, terms: numbers, names: new Map() }, isWhole);
}

function numbersOf(index: TermIndex, terms: readonly string[]): readonly number[] {
  return terms.map((term) => numberIn(index, hashedTerm(term)));
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
    expect(numbersOf(indexOf([]), words.slice(0, 3))).toEqual([NO_NUMBER, NO_NUMBER, NO_NUMBER]);
  });

  test('differ for words with the same beginning in English sessions, but not in others', () => {
    const [kept, asked] = [['present', 'presentation'], 'presentable'];
    const whole = indexOf(kept);
    const begun = indexOf(kept, false);
    expect(numbersOf(whole, [...kept, asked])).toEqual([0, 1, NO_NUMBER]);
    expect(numbersOf(begun, [...kept, asked])).toEqual([0, 0, 0]);
  });

  test('count two query terms with the same beginning once if terms match by beginning', () => {
    const asked = hashedTerms(['communicate', 'community']);
    const numbersIn = (isWhole: boolean) => {
      const terms = ['communicate', 'community'];
      const index = indexOf(terms, isWhole);
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

describe('the occurrences of terms', () => {
  test('say in how many turns, in which passages, and how often each occurs', () => {
    // Two passages of one turn, then one of the next; its speaker is Ann.
    const index = termIndex(
      {
        words: ['cat', 'dog'],
        turnOf: Uint32Array.of(0, 0, 1),
        lengths: Uint32Array.of(3, 1, 1),
        terms: Uint32Array.of(0, 1, 0, 0, 1),
        names: new Map([[2, ['ann', 'dog']]]),
      },
      true,
    );
    const occurrences = index.terms.map((term, number) => {
      const range = [index.starts[number], index.starts[number + 1]] as const;
      const [passages, counts] = [index.passages, index.counts].map((each) => [
        ...each.subarray(...range),
      ]);
      return { term, turns: index.frequency[number], passages, counts };
    });
    expect(occurrences).toEqual([
      { term: 'cat', turns: 1, passages: [0, 1], counts: [2, 1] },
      { term: 'dog', turns: 2, passages: [0, 2], counts: [1, 2] },
      { term: 'ann', turns: 1, passages: [2], counts: [1] },
    ]);
    // The name of a speaker finds the passage, but is none of its words.
    expect(index.ownHashes).toHaveLength(5);
  });
});

describe('other forms of a word', () => {
  test.each([
    ['alergias', ['perro', 'alergico'], ['alergico']],
    ['zahnarzttermin', ['zahnarzt', 'zaun'], ['zahnarzt']],
    ['pflegt', ['pflegen', 'pfand'], ['pflegen']],
    ['bee', ['beehiv'], []],
    ['mar', ['marzo'], []],
  ])('of "%s" among %j are %j', (asked, own, forms) => {
    expect(formsInSessions([indexOf(own)], asked)).toEqual(forms);
  });

  test('come from every session, also if it has only the beginnings of its words', () => {
    const sessions = [indexOf(['alergico']), indexOf([]), indexOf(['alergicamente'], false)];
    expect(formsInSessions(sessions, 'alergias')).toEqual(['alergic', 'alergico'].toSorted());
  });

  test('are those of the whole vocabulary that begin alike', () => {
    const word = fc.stringMatching(/^(?:miet|mies|haus)[a-z]{0,5}$/u);
    fc.assert(
      fc.property(fc.uniqueArray(word, { maxLength: 60 }), word, (own, asked) => {
        const half = Math.floor(own.length / 2);
        const sessions = [indexOf(own.slice(0, half)), indexOf(own.slice(half))];
        const alike = own.filter((each) => each.slice(0, 4) === asked.slice(0, 4));
        expect(formsInSessions(sessions, asked)).toEqual(formsIn(alike, [asked]).get(asked) ?? []);
      }),
    );
  });
});
