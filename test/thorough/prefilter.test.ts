import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { likelyPatterns, RULE_PATTERNS } from '#core/extraction/rule-index.ts';
import { prefilter } from '#core/text/prefilter.ts';
import { literalsOf } from '#test/derive-literals.ts';
import { PATTERNS, printedLiterals } from '#test/print-literals.ts';

const EXTRACTION = path.join(import.meta.dirname, '../extraction');
const FILES = ['everyday', 'unseen'].map((name) => `${name}.jsonl`);

describe('the literals of a pattern', () => {
  test.each([
    { pattern: /I live in (?<value>\p{Lu}\p{L}+)/u, literals: ['i live in '] },
    { pattern: /(?:live|reside)s?\sin/u, literals: ['live', 'lives', 'reside', 'resides'] },
    { pattern: /[Mm]y name is|call me/u, literals: ['my name is', 'call me'] },
    {
      pattern: /moved(?: just| now)? to/u,
      literals: ['moved to', 'moved just to', 'moved now to'],
    },
    { pattern: /(?<!\p{L})sold\s(?=my)/u, literals: ['sold'] },
    { pattern: /(?:sold )+the car/u, literals: ['the car'] },
    { pattern: /(?:sold )*the car/iu, literals: ['the car'] },
    { pattern: /no(?:thing|body)?/u, literals: null },
    { pattern: /sold|\d/u, literals: null },
    { pattern: /[^a]\p{L}+/u, literals: null },
    { pattern: /住|lives/u, literals: ['住', 'lives'] },
    { pattern: /sold/v, literals: null },
    { pattern: /sold.*/su, literals: null },
  ])('of $pattern are $literals', ({ pattern, literals }) => {
    expect(literalsOf(pattern)).toEqual(literals);
  });
});

describe('a text', () => {
  test.each([
    'I live in Porto',
    'WE MOVED NOW TO PORTO',
    'sold sold the car',
    'she ſold the car',
    '我住在波尔图',
    '',
  ])('is tested with every pattern that it matches: %s', (text) => {
    const patterns = [/I live in/u, /moved(?: now)? to/iu, /(?:sold )+the car/iu, /住在/u, /^$/u];
    const likely = prefilter(patterns, literalsOf)(text);
    expect(patterns.filter((each) => each.test(text) && !likely.has(each))).toEqual([]);
  });

  test('is tested with every pattern that ignores the case of its letters', () => {
    const cased = Array.from({ length: 0x1_e9_44 }, (_, at) => at)
      .filter((at) => at < 0xd8_00 || at > 0xdf_ff)
      .map((at) => String.fromCodePoint(at))
      .filter((letter) => /[\p{CWCF}\p{CWL}\p{CWU}]/u.test(letter));
    const all = cased.join('');
    const missed = cased.flatMap((letter) => {
      const pattern = new RegExp(`${letter}old`, 'iu');
      const likelyOf = prefilter([pattern], literalsOf);
      const others = all.match(new RegExp(letter, 'giu')) ?? [];
      return others.filter((other) => !likelyOf(`${other}OLD`).has(pattern));
    });
    expect(cased.length).toBeGreaterThan(2_000);
    expect(missed).toEqual([]);
  });

  test('with letters beyond Latin is tested with every pattern that it matches', () => {
    const word = fc
      .array(fc.constantFrom(...Array.from('abskiıİSKIſKßẞåÅжЖщЩσςΣθϑΘΐΐµμΜǆǅ\u0345ι')), {
        minLength: 3,
        maxLength: 6,
      })
      .map((letters) => letters.join(''));
    const said = fc.constantFrom(
      (text: string) => text,
      (text: string) => text.toUpperCase(),
      (text: string) => text.toLowerCase(),
    );
    const given = fc.record({ word, said, flags: fc.constantFrom('u', 'iu') });
    fc.assert(
      fc.property(given, word, word, ({ word: source, said: cased, flags }, before, behind) => {
        const pattern = new RegExp(source, flags);
        const text = `${before} ${cased(source)} ${behind}`;
        fc.pre(pattern.test(text));
        expect(prefilter([pattern], literalsOf)(text).has(pattern)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test('is not tested with a pattern whose words it lacks', () => {
    const likelyOf = prefilter([/I live in/u, /moved to/u], literalsOf);
    expect(likelyOf('The launch moved to May')).toEqual(new Set([/moved to/u]));
  });

  test('that matches a pattern is tested with it, whatever is around the match', () => {
    const patterns = [
      /I(?:['’]m| am) (?:now )?(?:based|living) in [A-Z][a-z]+/u,
      /(?:[Ww]e|I) (?:sold|gave away) (?:my|our) (?:old )?[a-z]{2,9}/u,
      /(?:no longer|not) (?:an?|the) [a-z]+(?:, but [a-z]+)?/u,
      /ab (?:jetzt|sofort)|[Kk]ünftig(?:e[nr]?)?/u,
    ];
    const matching = fc
      .constantFrom(...patterns)
      .chain((pattern) =>
        fc.tuple(fc.constant(pattern), fc.string(), fc.stringMatching(pattern), fc.string()),
      );
    const likelyOf = prefilter(patterns, literalsOf);
    fc.assert(
      fc.property(matching, ([pattern, before, text, behind]) => {
        expect(likelyOf(`${before}${text}${behind}`).has(pattern)).toBe(true);
      }),
    );
  });
});

describe('the stored literals', () => {
  const file = path.join(import.meta.dirname, '../../core/text/pattern-literals.json');
  const stored = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;

  test('are those that `npm run literals` derives from the patterns', () => {
    expect(stored).toEqual(JSON.parse(printedLiterals()));
  });

  test('have a separate key for each pattern', () => {
    const sources = PATTERNS.map(({ source, flags }) => `${flags} ${source}`);
    expect(Object.keys(stored)).toHaveLength(new Set(sources).size);
  });

  test('let a pattern without literals be tested on every text', () => {
    expect(prefilter([/never stored/u])('another text')).toEqual(new Set([/never stored/u]));
  });
});

describe('patterns with stored literals', () => {
  const texts = FILES.flatMap((name) =>
    readFileSync(path.join(EXTRACTION, name), 'utf8').split(/[\n"]|(?<=[.!?])\s/u),
  );
  test('select every pattern that a sentence of the example texts matches', () => {
    const likelyOf = prefilter(PATTERNS);
    const matched = texts.flatMap((text) =>
      PATTERNS.filter((each) => each.test(text)).map((pattern) => ({ text, pattern })),
    );
    expect(matched.length).toBeGreaterThan(100);
    expect(matched.filter(({ text, pattern }) => !likelyOf(text).has(pattern))).toEqual([]);
  });

  test('select less than a tenth of the patterns for a sentence that matches none', () => {
    const likely = likelyPatterns('The invoice of the printer has three pages and a blue stamp.');
    expect(likely.size).toBeLessThan(RULE_PATTERNS.length / 10);
  });
});
