import * as fc from 'fast-check';
import { Tiktoken } from 'js-tiktoken/lite';
import ranks from 'js-tiktoken/ranks/cl100k_base';
import { describe, expect, test } from 'vitest';
import type { Log } from '#core/ports/platform.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { loadGptTokenizer } from '#providers/tokenizers/gpt-tokenizer.ts';
import { CHARACTER_COUNTER, loadTokenCounter } from '#providers/tokenizers/token-counter.ts';

/** Generous: the machine may be busy, and without the split these take a minute. */
const PATHOLOGICAL_MS_MAX = 5_000;

const missing = () =>
  Promise.reject(Object.assign(new Error('gone'), { code: 'ERR_MODULE_NOT_FOUND' }));
const wrong = () => Promise.resolve(() => 7);
const broken = () =>
  Promise.resolve((): number => {
    throw new TypeError('no ranks');
  });

function recordingLog(): { log: Log; lines: { level: string; fields: unknown; text: string }[] } {
  const lines: { level: string; fields: unknown; text: string }[] = [];
  const write =
    (level: string): Log['warn'] =>
    (fields, text) => {
      lines.push({ level, fields, text });
    };
  const log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  return { log, lines };
}

describe('token counter', () => {
  test('loads gpt-tokenizer first, and logs nothing', async () => {
    const { log, lines } = recordingLog();
    const counter = await loadTokenCounter({ log });
    expect(counter.name).toBe('cl100k (gpt-tokenizer)');
    expect(counter.count('tiktoken is great!')).toBe(6);
    expect(counter.count('')).toBe(0);
    expect(lines).toEqual([]);
  });

  test.each([
    ['is missing', missing, 'ERR_MODULE_NOT_FOUND'],
    ['counts wrong', wrong, 'counts 7 tokens where 6 are right'],
    ['is broken', broken, 'TypeError'],
  ])(
    'TOK-07: if the tokenizer %s, counts length / 4 and logs one warning without a path',
    async (_, load, failure) => {
      const { log, lines } = recordingLog();
      const counter = await loadTokenCounter({ log, load });
      for (let calls = 0; calls < 3; calls += 1) counter.count('text');
      expect(counter.name).toBe('characters/4');
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatchObject({
        level: 'warn',
        fields: { counter: 'characters/4', failures: [failure] },
      });
    },
  );

  test.each([
    ['', 0],
    ['abc', 0],
    ['abcd', 1],
    ['abcdefg', 1],
    ['😀😀😀😀', 1],
    ['\ud83d\ud83d\ude00\ude00', 0],
    ['中'.repeat(9), 2],
  ])('TOK-07: the characters/4 fallback counts code points: %j is %i', (text, tokens) => {
    expect(CHARACTER_COUNTER.count(text)).toBe(tokens);
    expect(tokens).toBe(Math.floor(Array.from(text).length / 4));
  });

  test('counts text that looks like a special token as ordinary text', async () => {
    const count = await loadGptTokenizer();
    expect(count('<|endoftext|>')).toBe(7);
    expect(count('say <|fim_prefix|> and <|endofprompt|>')).toBeGreaterThan(10);
  });

  test.each([
    ['中', 40_000],
    ['a', 5_000],
    [' ', 313],
    ['😀', 40_000],
    ['\n', 1_250],
  ])('counts 20,000 to 40,000 times %j in time and correctly', async (unit, tokens) => {
    const counter = await loadTokenCounter({ log: SILENT_LOG });
    const text = unit.repeat(40_000 / unit.length);
    const started = performance.now();
    const counted = counter.count(text);
    expect(performance.now() - started).toBeLessThan(PATHOLOGICAL_MS_MAX);
    expect(counted).toBe(tokens);
  });

  test('counts lines, breaks and indents like the reference, even a second time', async () => {
    const count = await loadGptTokenizer();
    const reference = new Tiktoken(ranks);
    const part = fc.constantFrom(
      'Ann',
      "'s",
      ' tea',
      '  ',
      '\n',
      '\r\n',
      '\t',
      '…',
      '茶',
      '## ',
      '42',
      '-',
    );
    const texts = fc.array(part, { maxLength: 24 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        const tokens = reference.encode(text, [], []).length;
        expect([count(text), count(text)]).toEqual([tokens, tokens]);
      }),
    );
  });
});
