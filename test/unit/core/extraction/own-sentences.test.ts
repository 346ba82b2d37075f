import { describe, expect, test } from 'vitest';
import { ownSentences, statementsOf } from '#core/extraction/statement.ts';

describe("the sender's own sentences", () => {
  test.each<[string, string, readonly string[]]>([
    ['are split', 'I live in Oslo. I like tea!', ['I live in Oslo.', 'I like tea!']],
    ['are split in Chinese', '我住在奥斯陆。我喜欢茶！', ['我住在奥斯陆。', '我喜欢茶！']],
    ['exclude a code block', 'I live in Oslo.\n```\nI like tea.\n```', ['I live in Oslo.']],
    [
      'exclude a code block without an end',
      'I live in Oslo.\n```\nI like tea.',
      ['I live in Oslo.'],
    ],
    ['exclude quoted lines', '> I like tea.\nI live in Oslo.', ['I live in Oslo.']],
    [
      'exclude quoted lines behind empty ones',
      'I live in Oslo.\n \n\n\t> I like tea.\r\n\r\n> I like milk.\n\nI have a cat.',
      ['I live in Oslo.', 'I have a cat.'],
    ],
    ['keep a name in code', 'We run `npm test` first.', ['We run `npm test` first.']],
    ['lose code that speaks', 'It prints `I live in Oslo`.', ['It prints  .']],
    ['are empty for an empty message', ' \n ', []],
  ])('%s', (_, content, expected) => {
    expect(ownSentences(content)).toEqual(expected);
  });

  test('are limited to the first 200 of a message', () => {
    const content = Array.from({ length: 201 }, (_, n) => `I know ${String(n)} people.`).join(' ');
    expect(ownSentences(content)).toHaveLength(200);
  });
});

describe('a lasting statement', () => {
  /** A sentence of that many characters that says where somebody lives. */
  const homeOf = (length: number) => `I live in ${'O'.repeat(length - 11)}.`;

  test('is short: a longer sentence is ignored', () => {
    expect(statementsOf(homeOf(240)).map(({ text }) => text)).toEqual([homeOf(240)]);
    expect(statementsOf(homeOf(241))).toEqual([]);
  });

  test.each([
    ['I left Siemens and work at Bosch now.', 'I work at Bosch now.'],
    ['I left Siemens and now work at Bosch.', 'I now work at Bosch.'],
    ['Ich habe Siemens verlassen und arbeite jetzt bei Bosch.', 'Ich arbeite jetzt bei Bosch.'],
    ['我离开了西门子，现在在博世工作。', '我现在在博世工作。'],
  ])('is found after an event in the same sentence: %s', (said, statement) => {
    expect(statementsOf(said).map(({ text }) => text)).toEqual([statement]);
  });

  test.each(['I might quit and work at Bosch.', 'I want to move and live in Rome.'])(
    'is not a possibility or a wish: %s',
    (said) => {
      expect(statementsOf(said)).toEqual([]);
    },
  );

  test('is found beside a long sentence of the same message', () => {
    const texts = statementsOf(`${homeOf(241)} I live in Oslo.`).map(({ text }) => text);
    expect(texts).toEqual(['I live in Oslo.']);
  });
});
