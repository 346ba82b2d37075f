import { describe, expect, test } from 'vitest';
import { containsWholeWords } from '#core/text/whole-words.ts';

describe('a text', () => {
  test.each([
    ['The limit is 50', 'The limit is 5', false],
    ['The limit is 5.5 seconds', 'The limit is 5', false],
    ['It costs 1,900 euros', '900 euros', false],
    ['15 seconds', '5 seconds', false],
    ['十五元', '五元', false],
    ['5pm', '5', false],
    ['The planner', 'plan', false],
    ['It is 5. Then it rains.', 'It is 5', true],
    ['15 seconds, or 5 seconds', '5 seconds', true],
    ['on Tuesday at ten', 'on Tuesday', true],
    ['例会在星期四上午九点', '上午九点', true],
    ['anything', '', true],
  ])('%j has the words %j: %s', (text, words, expected) => {
    expect(containsWholeWords(text, words)).toBe(expected);
  });
});
