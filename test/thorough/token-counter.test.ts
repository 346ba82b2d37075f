import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Log } from '#core/ports/platform.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { loadGptTokenizer } from '#providers/tokenizers/gpt-tokenizer.ts';
import { loadJsTiktoken } from '#providers/tokenizers/js-tiktoken.ts';
import type { Tokenizer } from '#providers/tokenizers/token-counter.ts';
import { CHARACTER_COUNTER, loadTokenCounter } from '#providers/tokenizers/token-counter.ts';

/** Generous: the machine may be busy, and without the split these take a minute. */
const PATHOLOGICAL_MS_MAX = 5_000;

const missing: Tokenizer = {
  name: 'missing',
  load: () => Promise.reject(Object.assign(new Error('gone'), { code: 'ERR_MODULE_NOT_FOUND' })),
};
const wrong: Tokenizer = { name: 'wrong', load: () => Promise.resolve(() => 7) };
const broken: Tokenizer = {
  name: 'broken',
  load: () =>
    Promise.resolve(() => {
      throw new TypeError('no ranks');
    }),
};
const jsTiktoken: Tokenizer = { name: 'cl100k (js-tiktoken)', load: loadJsTiktoken };

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
    ['missing', missing],
    ['wrong', wrong],
    ['broken', broken],
  ])('falls back to js-tiktoken if the first tokenizer is %s', async (_, first) => {
    const { log, lines } = recordingLog();
    const counter = await loadTokenCounter({ log, load: [first, jsTiktoken] });
    expect(counter.name).toBe('cl100k (js-tiktoken)');
    expect(counter.count('tiktoken is great!')).toBe(6);
    expect(lines.map((line) => line.level)).toEqual(['info']);
  });

  test('TOK-07: without a tokenizer, counts length / 4 and logs one warning without a path', async () => {
    const { log, lines } = recordingLog();
    const counter = await loadTokenCounter({ log, load: [missing, wrong] });
    for (let calls = 0; calls < 3; calls += 1) counter.count('text');
    expect(counter.name).toBe('characters/4');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: 'warn',
      fields: {
        counter: 'characters/4',
        failures: ['missing: ERR_MODULE_NOT_FOUND', 'wrong: counts 7 tokens where 6 are right'],
      },
    });
  });

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
    const counters = await Promise.all([loadGptTokenizer(), loadJsTiktoken()]);
    for (const count of counters) {
      expect(count('<|endoftext|>')).toBe(7);
      expect(count('say <|fim_prefix|> and <|endofprompt|>')).toBeGreaterThan(10);
    }
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

  test('counts lines, breaks and indents alike with both tokenizers, even a second time', async () => {
    const [first, second] = await Promise.all([loadGptTokenizer(), loadJsTiktoken()]);
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
        expect([first(text), first(text)]).toEqual([second(text), second(text)]);
      }),
    );
  });

  test('counts a long run in time with js-tiktoken', async () => {
    const count = await loadJsTiktoken();
    const started = performance.now();
    expect(count('a'.repeat(20_000))).toBe(2_500);
    expect(performance.now() - started).toBeLessThan(PATHOLOGICAL_MS_MAX);
  });
});
