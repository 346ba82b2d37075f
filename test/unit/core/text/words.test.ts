import { describe, expect, test } from 'vitest';
import { wordsOf } from '#core/text/words.ts';

describe('words', () => {
  test.each([
    ['userId', ['user', 'id', 'userid']],
    ['user_id', ['user', 'id', 'userid']],
    ['user-id', ['user', 'id', 'userid']],
    ['HTTPServer', ['http', 'server', 'httpserver']],
    ['GPT-4 GPT4', ['gpt', '4', 'gpt4', 'gpt4']],
    ['v1.2.3', ['v1', '2', '3', 'v123']],
    ["Anna's", ['anna', 's']],
    ['ﬁne Ｗｉｄｅ', ['fine', 'wide']],
    ['東京都', ['東京', '京都']],
    ['東', ['東']],
    ['東京 in 2024', ['東京', 'in', '2024']],
    ['deploy 🚀!', ['deploy', '🚀']],
    ['...', []],
    ['', []],
  ])('LEXICAL-1: the words of %j', (text, words) => {
    expect(wordsOf(text).map((word) => word.text)).toEqual(words);
  });

  test('LEXICAL-1: function words and single letters are stop words, but numbers are not', () => {
    const kinds = Object.fromEntries(wordsOf('the x 7 deploy').map((w) => [w.text, w.kind]));
    expect(kinds).toEqual({ the: 'stop', x: 'stop', 7: 'word', deploy: 'word' });
  });
});
