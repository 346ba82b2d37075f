import { describe, expect, test } from 'vitest';
import { answeredItems, parseAnswer } from '#core/prompt/parse-answer.ts';
import { thrownBy } from '#test/unit/failures.ts';

const FACT = { text: 'Ann lives in Oslo.', sources: ['m-1'] };
const OTHER = { text: 'Ann has a boat.', sources: ['m-2'] };
const numbered = (n: number) => ({ ...FACT, text: `Ann has ${String(n)} boats.` });
const SECRET = 'Ann has a secret';

const malformed = (count: number, ...all: unknown[]) => [
  'a',
  { facts: all, kept: null, malformed: count, isCut: false },
];
const facts = (...all: unknown[]) => malformed(0, ...all);
const kept = (ids: string[] | null, count: number) => [
  'a',
  { facts: null, kept: ids, malformed: count, isCut: false },
];

const read = (value: unknown) => [...parseAnswer(JSON.stringify(value))];

const failureOf = (text: string) => thrownBy(() => parseAnswer(text));

describe('a model answer is parsed with', () => {
  test.each<[string, unknown, unknown[]]>([
    ['items with their facts', { items: [{ item: 'a', facts: [FACT] }] }, [facts(FACT)]],
    ['an item without facts', { items: [{ item: 'a', facts: [] }] }, [facts()]],
    ['unknown extra fields', { items: [{ item: 'a', facts: [], b: 1 }], c: 2 }, [facts()]],
    [
      'signs that nobody sees',
      {
        items: [
          {
            item: 'a',
            facts: [
              { ...FACT, text: 'Ann \u202elives\u200b in Oslo.\u0000' },
              { ...FACT, text: '\u200b\u2060' },
            ],
          },
        ],
      },
      [malformed(1, FACT)],
    ],
    ['an invalid item', { items: [7, null, { facts: [] }] }, []],
    ['a selection', { items: [{ item: 'a', kept: ['f-2', 'f-1'] }] }, [kept(['f-2', 'f-1'], 0)]],
    ['an empty selection', { items: [{ item: 'a', kept: [] }] }, [kept([], 0)]],
    ['an invalid id', { items: [{ item: 'a', kept: [7, 'f-1', null] }] }, [kept(['f-1'], 2)]],
    [
      'one item in two places',
      {
        items: [
          { item: 'a', facts: [FACT, 7] },
          { item: 'a', facts: [FACT, OTHER, 7] },
        ],
      },
      [malformed(2, FACT, OTHER)],
    ],
    [
      'one selection in two places',
      {
        items: [
          { item: 'a', kept: ['f-2'] },
          { item: 'a', kept: ['f-1', 'f-2', 'f-1'] },
        ],
      },
      [kept(['f-2', 'f-1'], 0)],
    ],
    [
      'one item with and without facts',
      { items: [{ item: 'a', facts: [FACT] }, { item: 'a' }] },
      [facts(FACT)],
    ],
    [
      'one item many times',
      { items: Array.from({ length: 300 }, (_, n) => ({ item: 'a', facts: [numbered(n)] })) },
      [facts(...Array.from({ length: 200 }, (_, n) => numbered(n)))],
    ],
    [
      'one item whose answer broke off',
      { items: [{ item: 'a', facts: [FACT], cut: true }] },
      [['a', { facts: [FACT], kept: null, malformed: 0, isCut: true }]],
    ],
    ['neither facts nor a selection', { items: [{ item: 'a' }] }, [kept(null, 0)]],
    [
      'an invalid fact',
      { items: [{ item: 'a', facts: [{ text: '' }, FACT, 7] }] },
      [malformed(2, FACT)],
    ],
    [
      'a fact that is too long',
      { items: [{ item: 'a', facts: [{ ...FACT, text: 'x'.repeat(4_001) }] }] },
      [malformed(1)],
    ],
    [
      'too many facts',
      { items: [{ item: 'a', facts: Array.from({ length: 201 }, () => FACT) }] },
      [],
    ],
  ])('%s', (_, value, items) => {
    expect(read(value)).toEqual(items);
  });

  test.each([
    ['a text that is not JSON', `Here is the summary: ${SECRET}`],
    ['truncated JSON', `{"items":[{"item":"a","facts":[{"text":"${SECRET}`],
    ['another value', JSON.stringify(SECRET)],
    ['another object', JSON.stringify({ answer: SECRET })],
    ['an empty text', ''],
  ])('%s is refused with an error that does not repeat it', (_, text) => {
    const error = failureOf(text);
    expect(error.code).toBe('MODEL_OUTPUT_INVALID');
    expect(error.details).toEqual({ characters: text.length });
    // Causes are logged with their messages, and a parser's message quotes the text.
    expect(`${error.message} ${String(error.cause)} ${String(error.stack)}`).not.toContain(
      'secret',
    );
    expect(error.cause).toBeUndefined();
    expect(answeredItems(text)).toEqual(new Map());
  });
});
