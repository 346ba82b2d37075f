/** Compares the token counter with js-tiktoken on unsplit text, a port of OpenAI's own merges. */
import * as fc from 'fast-check';
import { Tiktoken } from 'js-tiktoken/lite';
import ranks from 'js-tiktoken/ranks/cl100k_base';
import { describe, expect, test } from 'vitest';
import { loadGptTokenizer } from '#providers/tokenizers/gpt-tokenizer.ts';
import { ANY_CHARACTER } from '#test/any-character.ts';

const oracle = new Tiktoken(ranks);
const expected = (text: string): number => oracle.encode(text, [], []).length;
const count = await loadGptTokenizer();

const TEXTS: readonly string[] = [
  '',
  ' ',
  'tiktoken is great!',
  'Deploys are frozen on Fridays after 15:00 UTC.',
  "const userId = await fetchUser({ id: 42 }); // the caller's own\n\n\treturn userId;",
  '{"role":"user","content":"caf\\u00e9","n":[1,22,333,4444,55555]}',
  'Grüße, naïve façade — „schön“ … Ærøskøbing',
  'Съешь ещё этих мягких французских булок, да выпей чаю.',
  'すもももももももものうち。東京都の会議は三時から。',
  '今天的会议讨论了部署计划。',
  '다람쥐 헌 쳇바퀴에 타고파',
  'नमस्ते दुनिया, यह एक परीक्षण है।',
  'السلام عليكم، كيف حالك؟',
  'ภาษาไทยไม่มีช่องว่าง',
  '👩‍👩‍👧‍👦 family 🏳️‍🌈 flag 🇩🇪 é e\u0301 \u200b\u2060',
  '<|endoftext|><|im_start|>system<|im_sep|>',
  'line\r\nline\r\r\n\n\n   \t  end   ',
  "I'll we've they'd it's DON'T",
  '\ud83d lone \ude00 surrogates \udfff',
  '\0\u0001\u001b[31mred\u001b[0m',
  'https://example.org/a/b?c=d&e=%20#f_g-h',
  '| a | b |\n|---|---|\n| 1 | 2 |\n'.repeat(4),
];

describe('the tokenizer and the reference', () => {
  test.each(TEXTS)('TOK-06: give the same cl100k count for %j', (text) => {
    expect(count(text)).toBe(expected(text));
  });

  test('TOK-06: give the same cl100k count for random Unicode text', () => {
    const text = fc.oneof(
      fc.string({ unit: ANY_CHARACTER, maxLength: 30 }),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.string({ unit: fc.constantFrom(' ', '\n', 'a', 'É', '9', '.', "'", 's', '中', '\ud800') }),
      fc.array(fc.lorem({ maxCount: 3 }), { maxLength: 6 }).map((parts) => parts.join('  \n')),
    );
    fc.assert(
      fc.property(text, (sample) => {
        expect(count(sample)).toBe(expected(sample));
      }),
      { numRuns: 300 },
    );
  });
});
