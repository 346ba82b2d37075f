import { describe, expect, test } from 'vitest';
import { ownSentences, statementsOf } from '#core/extraction/statement.ts';

describe('the own sentences of who writes a message', () => {
  test.each<[string, string, readonly string[]]>([
    ['are each by itself', 'I live in Oslo. I like tea!', ['I live in Oslo.', 'I like tea!']],
    ['are each by itself in Chinese', '我住在奥斯陆。我喜欢茶！', ['我住在奥斯陆。', '我喜欢茶！']],
    ['are none of a block of code', 'I live in Oslo.\n```\nI like tea.\n```', ['I live in Oslo.']],
    [
      'are none of code that does not end',
      'I live in Oslo.\n```\nI like tea.',
      ['I live in Oslo.'],
    ],
    ['are none of quoted lines', '> I like tea.\nI live in Oslo.', ['I live in Oslo.']],
    ['have no code inside', 'I live in `Bergen` Oslo.', ['I live in   Oslo.']],
    ['are none of an empty message', ' \n ', []],
  ])('%s', (_, content, expected) => {
    expect(ownSentences(content)).toEqual(expected);
  });

  test('are the first two hundred of a message', () => {
    const content = Array.from({ length: 201 }, (_, n) => `I know ${String(n)} people.`).join(' ');
    expect(ownSentences(content)).toHaveLength(200);
  });
});

describe('what lasts', () => {
  /** A sentence of that many characters that says where somebody lives. */
  const homeOf = (length: number) => `I live in ${'O'.repeat(length - 11)}.`;

  test('is said in few words: a longer sentence is talk', () => {
    expect(statementsOf(homeOf(240)).map(({ text }) => text)).toEqual([homeOf(240)]);
    expect(statementsOf(homeOf(241))).toEqual([]);
  });

  test.each([
    ['I left Siemens and work at Bosch now.', 'I work at Bosch now.'],
    ['I left Siemens and now work at Bosch.', 'I now work at Bosch.'],
    ['Ich habe Siemens verlassen und arbeite jetzt bei Bosch.', 'Ich arbeite jetzt bei Bosch.'],
    ['我离开了西门子，现在在博世工作。', '我现在在博世工作。'],
  ])('is found behind what happened: %s', (said, statement) => {
    expect(statementsOf(said).map(({ text }) => text)).toEqual([statement]);
  });

  test.each(['I might quit and work at Bosch.', 'I want to move and live in Rome.'])(
    'is not what may be: %s',
    (said) => {
      expect(statementsOf(said)).toEqual([]);
    },
  );

  test('is found beside talk of the same message', () => {
    const texts = statementsOf(`${homeOf(241)} I live in Oslo.`).map(({ text }) => text);
    expect(texts).toEqual(['I live in Oslo.']);
  });
});
