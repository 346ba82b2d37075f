import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { clauseRanges, findSentence, sentenceRanges, sentencesIn } from '#core/text/sentences.ts';

describe('a line without a mark inside a word', () => {
  const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' });
  const signs = fc.constantFrom(...Array.from(' …。！؟।\r\u0085\u2028)»"’—-,;:9aBß中ب'));
  const spaced = fc.constantFrom('! ', '? ', '?! ', '!" ', '?) ');
  const line = fc.string({ unit: fc.oneof(signs, spaced, fc.constantFrom('a', ' ')) });

  it('has the same sentences as from the Unicode segmenter, whatever ends them', () => {
    fc.assert(
      fc.property(line, (text) => {
        const segments = [...segmenter.segment(text)].map(({ segment }) => segment.trim());
        expect(sentencesIn(text)).toEqual(segments.filter((segment) => segment !== ''));
      }),
      { numRuns: 500 },
    );
  });
});

describe('a word with marks in it', () => {
  it.each([
    'https://wiki.example.com/index.php?title=Main_Page&action=edit.',
    'https://git.example.com/a/checkout.git?ref=main#readme',
    'https://jira.example.com/browse/ABC-12?focusedId=3!top.',
    'www.example.com?Page=2',
    'POST /v1/items?limit=10&cursor=abc.',
    'C:\\Temp\\Was?Wo!Wann.Txt',
    'what?ever!no.where.',
    'Tr0ub4dor!Xy',
    'h!Ab?Cd!Ef',
    'P!nk.',
    'Yahoo!Mail',
    'x!==y',
    'x != y',
    'foo?.bar',
    'user!.Name',
    'a?B:c',
    '^\\d+(?:\\.\\d+)?$',
    'f("Hi!"),next',
    '![Logo](https://a.example/b.png?Size=2)',
    'https://例子.cn/路径?参数=1',
    'https://例子.cn/路径?参数',
    'SELECT * FROM t WHERE a=?;',
    'fo?o@example.com',
    'report2.Docx',
  ])('stays whole in English, German, Spanish and Chinese: %s', (word) => {
    for (const [before, after] of [
      ['The one I mean is', 'And it is private.'],
      ['Meins ist', 'und das bleibt so.'],
      ['La mía es', 'Gracias.'],
      ['我的是', '谢谢。'],
    ] as const) {
      const text = `${before} ${word} ${after}`;
      expect(sentencesIn(text).join(' ')).toContain(word);
      expect(sentencesIn(text).at(-1)).toContain(after);
    }
  });

  it('stays whole, whatever it is made of, wherever sentences end', () => {
    const unit = fc.constantFrom(...Array.from('abz019/:=&#@$%+-_~.!?()[]{}<>|\\^*"\';,é'));
    const word = fc.string({ unit, minLength: 1, maxLength: 20 });
    const gap = fc.constantFrom(' ', '. ', '! ', '? ', '\n', '。 ', ' The next is ');
    fc.assert(
      fc.property(fc.array(fc.tuple(word, gap), { minLength: 1, maxLength: 8 }), (parts) => {
        const text = parts.flat().join('');
        const joined = sentencesIn(text).join(' ');
        for (const run of text.split(/\s+/u)) {
          // A full-width stop ends a sentence wherever it is.
          for (const whole of run.split(/(?<=。)/u)) expect(joined).toContain(whole);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('sentences without a space between them', () => {
  it.each([
    ['Great!', 'Thanks'],
    ['Great!', 'Thanks for that.'],
    ['Ja!', 'Und dann fahren wir los.'],
    ['Das ist toll!', 'Und dann?'],
    ['¡Genial!', 'Nos vemos.'],
    ['¡Hola!', '¿Cómo estás?'],
    ['I asked "why?"', 'Then he left.'],
    ['你好吗?', '我很好!', '谢谢'],
    ['太好了！', '谢谢你。', '再见'],
    ['我的网址是https://例子.cn/路径?a=1。', '谢谢。'],
  ])('are told apart: %s', (...sentences) => {
    expect(sentencesIn(sentences.join(''))).toEqual(sentences);
  });

  it.each([
    ['**Great!**', 'It works.'],
    ['_Wirklich?_', 'Ja.'],
    ['Yes!😀', 'Thanks.'],
    ['(Is it?)', 'No.'],
    ['He said "Go!"', 'I went.'],
    ['"**Done.**"', 'Next.'],
  ])('keep what closes them: %s', (...sentences) => {
    expect(sentencesIn(sentences.join(' '))).toEqual(sentences);
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
    ['Launch is Dec. 8th, 10 a.m. CET, at noon in Tokyo.', 'We agreed.'],
    ['We meet at 9 p.m. Monday or 8 a.m. Pacific.', 'I get up at 7 a.m.', 'Then I run.'],
    ['Call at 10 a.m. (GMT) or 5 p.m. Lisbon time.', 'At 5 p.m.', 'It ends at 6 P.M.', 'Good.'],
    ['It is e.g. red.', 'We open at 9 a.m.', 'TVs are off.'],
    ['Ich bin bei Dr. med. Huber und Dr. rer. nat. Weber.', 'Nimm die Med.', 'Danke.'],
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

describe('the first sentence that is sought', () => {
  const text = 'It rains. I stay.\n\nI read. I stay in.';

  it('is the first one in the order of the text', () => {
    const found = findSentence(text, ({ start }) => text.startsWith('I ', start));
    expect(text.slice(found?.start, found?.end)).toBe('I stay.');
  });

  it('is missing if no sentence fits', () => {
    expect(findSentence(text, () => false)).toBeUndefined();
  });
});
