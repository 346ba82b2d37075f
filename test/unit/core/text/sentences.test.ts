import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { clauseRanges, sentenceRanges, sentencesIn } from '#core/text/sentences.ts';

describe('a line without a full stop', () => {
  const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' });
  const signs = fc.constantFrom(...Array.from(' !?…。！؟।\r\u0085\u2028)»"’—-,;:*9aBß中ب😀'));
  const line = fc.string({ unit: fc.oneof(signs, fc.constantFrom('a', ' '), fc.string()) });

  it('has the same sentences as from the Unicode segmenter, whatever ends them', () => {
    fc.assert(
      fc.property(line, (text) => {
        fc.pre(!/[.․﹒．[{\n]|"\s*:/u.test(text));
        const segments = [...segmenter.segment(text)].map(({ segment }) => segment.trim());
        expect(sentencesIn(text)).toEqual(segments.filter((segment) => segment !== ''));
      }),
      { numRuns: 500 },
    );
  });
});

describe('sentences of a text', () => {
  it.each([
    ['The demo is on Dec. 3 in room no. 5.', 'Call Dr. Lima, ext. 7.', 'It costs approx. $3.5k.'],
    ['The invoice is no. 77.', 'It is due at 9 a.m. in Porto.'],
    ['Rechnung Nr. 5.', 'Das kostet ca. 3 Euro, z. B. Brot.', 'Wir sind in der Hauptstr. 14.'],
    [
      'Der Schlüssel liegt im 2. Stock.',
      'Jonas ist in der 1. Klasse.',
      'Das Fest ist am 3.',
      'Wir',
    ],
    ['La Sra. Pérez vive en núm. 5.', 'Ver pág. 7.', 'Cuesta aprox. 30 euros.'],
    ['I met J. R. R. Tolkien.', 'I said no.', 'Then I left.'],
    ['It weighs 5 kg.', 'The box is red.'],
    ['It costs 12.50 EUR incl. VAT.', 'That is a lot.'],
    ['Only Rev. Okoro and Capt. Lund know.', 'Messrs. Hale and Ms. Ruiz do not.'],
    ['Only **Dr. Ahlström** holds it.', 'Univ.-Prof. Weiß does not.'],
    ['Zimmer Nr. A5 ist sog. Reserve, d. h. Lager bzw. Archiv.', 'Fr. Dipl. Ing. Koch weiß es.'],
    ['Los Sres. Gil y la Dra. Sanz, p. ej. Ana, viven en Avda. Sol.', 'Vale.'],
  ])('do not end at an abbreviation or initial: %s', (...sentences) => {
    expect(sentencesIn(sentences.join(' '))).toEqual(sentences);
  });

  it.each([
    ['我住在上海。', '王伟: 我搬到了杭州。 (as of 2026-11-02)'],
    ['It is late.', 'Is it on Friday? (2026-11-02)'],
  ])('end after the day that the last of them counts from: %s', (...sentences) => {
    expect(sentencesIn(sentences.join(' '))).toEqual(sentences);
  });

  it('end at a word that ends a list item, even if it is an abbreviation elsewhere', () => {
    expect(sentencesIn('1. Always no. 2. Milk.')).toContain('Always no.');
  });

  it.each([
    '{"id":77,"customer":"B. Teixeira","items":[{"n":"{a. B"},{"note":"Paid. Thanks! Bye."}]}',
    '[{"quote":"She said \\"No. Go.\\" Then left."}]',
  ])('do not end in JSON, and continue after it: %s', (json) => {
    expect(sentencesIn(`${json} The order is refunded. Good.`)).toEqual([
      json,
      'The order is refunded.',
      'Good.',
    ]);
    expect(sentencesIn(`Here: ${json}`)).toEqual([`Here: ${json}`]);
  });

  it('do not end on a line of JSON or in truncated JSON', () => {
    for (const text of ['  "customer": "B. Teixeira. Paid.",', '{"a":["B. Ana. C. Eva. Go']) {
      expect(sentencesIn(text)).toEqual([text.trim()]);
    }
  });

  it('are found in reasonable time if brackets and quotes are never closed', () => {
    const text = '{"a. B ['.repeat(20_000);
    expect(sentenceRanges(text).length).toBeGreaterThan(0);
    expect(sentencesIn('{} [] "'.repeat(20_000)).length).toBeGreaterThan(0);
  });

  it('are cut between JSON objects if they are too long', () => {
    const text = '{"sku":"ADULT-1","qty":2},{"sku":"CHILD-1","qty":1}';
    const fits = ({ start, end }: { start: number; end: number }) => end - start <= 40;
    const parts = clauseRanges({ text, fits }, { start: 0, end: text.length });
    const shown = parts.map(({ start, end }) => text.slice(start, end));
    expect(shown.every((part) => /^[{"].*[,}]$/u.test(part))).toBe(true);
  });

  const lettersAtMost = (units: number) => (range: { start: number; end: number }) =>
    range.end - range.start <= units;
  const cut = (text: string, units: number): readonly string[] =>
    clauseRanges({ text, fits: lettersAtMost(units) }, { start: 0, end: text.length }).map(
      ({ start, end }) => text.slice(start, end),
    );

  it.each([
    [10, 'abcdefgh', ['abcdefgh']],
    [4, 'abcdefgh', ['abcd', 'efgh']],
    [3, 'abcdefgh', ['ab', 'cd', 'ef', 'gh']],
    [3, 'abcdefghi', ['ab', 'cd', 'ef', 'ghi']],
    [1, 'abc', ['a', 'b', 'c']],
    [0, 'abc', []],
    [1, '😀😀', []],
    [2, '😀😀', ['😀', '😀']],
    [3, 'x😀y', ['x', '😀y']],
    [4, ' ab  cd ', ['ab', 'cd']],
    [5, '   ', []],
  ])(
    'are cut within a word if it is too long: at most %i of %j are %j',
    (units, text, expected) => {
      expect(cut(text, units)).toEqual(expected);
    },
  );
});
