import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { ANY_CHARACTER } from '#test/any-character.ts';

const analyzer = createTextAnalyzer();

describe('text analyzer', () => {
  test('names the revision of its terms', () => {
    expect(analyzer.revision).toBe('terms-2');
  });

  test.each([
    ['inflected words', 'Deploys were deployed, deploying', 'deploy deploy deploy'],
    ['identifiers', 'userId', 'user id userid'],
    ['snake case', 'user_id', 'user id userid'],
    ['upper case runs', 'HTTPServer', 'http server httpserver'],
    ['addresses', 'ann@example.com', 'ann exampl com annexamplecom'],
    ['possessives and contractions', "Anna's cat doesn't bite", 'anna cat bite'],
    ['the verb "like"', "I don't like tea. Does Dana like tea?", 'like tea dana like tea'],
    ['the preposition "like"', 'It looks like rain, like you said.', 'look rain'],
    ['a wish', "I'd like tea. Would you like tea?", 'tea tea'],
    ['single letters', 'vitamin C, plan B', 'vitamin c plan b'],
    ['accents and width', 'Café ＡＢＣ Zürich', 'cafe abc zurich'],
    ['Cyrillic', 'Ёлка елка', 'елка елка'],
    ['Chinese', '黑猫在家', '黑猫 猫在 在家 黑 猫 在 家'],
    ['one Chinese character', '猫', '猫'],
    ['Japanese', '猫がいる', '猫が がい いる 猫'],
    ['Hebrew with and without points', 'שָׁלוֹם שלום', 'שלום שלום'],
    ['Arabic with and without vowel signs', 'مُحَمَّد محمد', 'محمد محمد'],
    ['emoji', 'party 🎉 time', 'parti 🎉 time'],
    ['a text of function words', 'Not now!', 'not now'],
    [
      'operators of full-text search',
      '"a" AND (b* OR NEAR(c, 2)) -d ^e col:f',
      'b near c 2 d e col f colf',
    ],
    ['white space', ' \n\t ', ''],
  ])('splits %s into terms', (_, text, expected) => {
    expect(analyzer.terms(text).join(' ')).toBe(expected);
  });

  test('gives whole terms without white space for any text, the same every time', () => {
    const text = fc.oneof(
      fc.string({ unit: ANY_CHARACTER, maxLength: 200 }),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.constantFrom('\ud800', '\0', 'a'.repeat(100_000), `${'a'.repeat(63)}\u{1d41a}b`),
    );
    fc.assert(
      fc.property(text, (given) => {
        const terms = analyzer.terms(given);
        expect(createTextAnalyzer().terms(given)).toEqual(terms);
        for (const term of terms) {
          expect(term).toMatch(/^\S{1,64}$/u);
          expect(term.isWellFormed()).toBe(true);
        }
      }),
    );
  });
});
