import { describe, expect, test } from 'vitest';
import { parseAnswer } from '#core/answer.ts';
import { VarveError } from '#core/errors.ts';

const FACT = { text: 'Ann lives in Oslo.', sources: ['m-1'] };
const SECRET = 'Ann has a secret';

const read = (value: unknown) => [...parseAnswer(JSON.stringify(value))];

function failureOf(text: string): VarveError {
  try {
    parseAnswer(text);
  } catch (error) {
    if (error instanceof VarveError) return error;
  }
  throw new Error('It was read.');
}

describe('answers of a model', () => {
  test.each<[string, unknown, unknown[]]>([
    ['items with their facts', { items: [{ item: 'a', facts: [FACT] }] }, [['a', [FACT]]]],
    ['an item without facts', { items: [{ item: 'a', facts: [] }] }, [['a', []]]],
    ['more than was asked for', { items: [{ item: 'a', facts: [], b: 1 }], c: 2 }, [['a', []]]],
    ['an item that is none', { items: [7, null, { item: 'a' }, { facts: [] }] }, []],
    [
      'a fact that is none',
      { items: [{ item: 'a', facts: [{ text: '' }, FACT, 7] }] },
      [['a', [FACT]]],
    ],
    [
      'a fact without end',
      { items: [{ item: 'a', facts: [{ ...FACT, text: 'x'.repeat(4_001) }] }] },
      [['a', []]],
    ],
    [
      'facts without end',
      { items: [{ item: 'a', facts: Array.from({ length: 201 }, () => FACT) }] },
      [],
    ],
  ])('ENG-01: %s', (_, value, items) => {
    expect(read(value)).toEqual(items);
  });

  test.each([
    ['no JSON', `Here is the summary: ${SECRET}`],
    ['cut JSON', `{"items":[{"item":"a","facts":[{"text":"${SECRET}`],
    ['another value', JSON.stringify(SECRET)],
    ['another object', JSON.stringify({ answer: SECRET })],
    ['nothing', ''],
  ])('TMP-04: %s is refused in words that do not repeat it', (_, text) => {
    const error = failureOf(text);
    expect(error.code).toBe('MODEL_OUTPUT_INVALID');
    expect(error.details).toEqual({ characters: text.length });
    // Causes are logged with their messages, and a parser's message quotes the text.
    expect(`${error.message} ${String(error.cause)} ${String(error.stack)}`).not.toContain(
      'secret',
    );
    expect(error.cause).toBeUndefined();
  });
});
