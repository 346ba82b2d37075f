import { describe, expect, test } from 'vitest';
import { joinIntoLines, joinSentences, saidOf, sentenceOf } from '#core/text/joined-sentences.ts';

describe('the joined sentences of a summary', () => {
  test('name a speaker once per run', () => {
    const run = ['Ana: We ship in May.', 'Ana: Bo tests.', 'Bo: I do.', 'Ana: Thanks.'];
    expect(joinSentences(run)).toBe('Ana: We ship in May. Bo tests. Bo: I do. Ana: Thanks.');
  });

  test.each([
    ['Project Manager: One battery.', 'Project Manager: No screen.', 'No screen.'],
    ['Professor C: We record.', 'Professor C: Ten people.', 'Ten people.'],
    ['Jürgen Groß: Wir liefern.', 'Jürgen Groß: Am 3. Mai.', 'Am 3. Mai.'],
    ['Íñigo de la Cruz: Sí.', 'Íñigo de la Cruz: En mayo.', 'En mayo.'],
    ['user: I moved.', 'user: To Bonn.', 'To Bonn.'],
    ['“ben@x.com”: I moved.', '“ben@x.com”: To Bonn.', 'To Bonn.'],
  ])('leave out the repeated name in %s', (first, second, shown) => {
    expect(joinSentences([first, second])).toBe(`${first} ${shown}`);
  });

  test.each([
    ['a label that is not a speaker', ['Deadline: 3 May.', 'Deadline: 4 June.']],
    ['a sentence without a speaker among them', ['Ana: Hi.', 'Ana: It ships.', 'It is late.']],
    ['another name after the speaker', ['Ana: We ship.', 'Ana: Bo: never.']],
    ['a speaker whose name begins with another name', ['Ana: We ship.', 'Ana B: Never.']],
    ['no sentences', []],
  ])('are unchanged with %s', (_, sentences) => {
    expect(joinSentences(sentences)).toBe(sentences.join(' '));
  });

  test.each([
    [['王芳: 五月上线。', '王芳: 我来测试。'], '王芳: 五月上线。我来测试。'],
    [['截止日期: 五月。', '截止日期: 六月。'], '截止日期: 五月。截止日期: 六月。'],
    [['我住在上海。', 'My exam is in May.'], '我住在上海。 My exam is in May.'],
  ])('have no space after Chinese punctuation: %j', (sentences, joined) => {
    expect(joinSentences(sentences)).toBe(joined);
  });

  test.each([
    ['My exam is next Friday (as of 2026-11-03)', 'My exam is next Friday (as of 2026-11-03).'],
    ['She said “never again”', 'She said “never again”.'],
    ['She said “never again.”', 'She said “never again.”'],
    ['See you :)', 'See you :)'],
    ['I moved today. (as of 2026-11-03)', 'I moved today. (as of 2026-11-03)'],
    ['我住在上海', '我住在上海。'],
    ['我明天考试 (as of 2026-11-03)', '我明天考试 (as of 2026-11-03)。'],
    ['她说“不去”', '她说“不去”。'],
    ['我的车是BMW', '我的车是BMW.'],
    ['Ships in May;', 'Ships in May;'],
  ])('end with punctuation: %s', (text, sentence) => {
    expect(sentenceOf(text)).toBe(sentence);
  });

  test.each([
    [
      ['I am allergic to nuts.', 'Ben: I am vegan.', 'I live in Porto.', 'Ben: I moved.'],
      'I am allergic to nuts. I live in Porto. Ben: I am vegan. Ben: I moved.',
    ],
    [
      ['Jens: Ich bin Veganer.', 'Meine Frau heißt Eva.'],
      'Meine Frau heißt Eva. Jens: Ich bin Veganer.',
    ],
    [['Luis: Soy vegano.', 'Trabajo en Bosch.'], 'Trabajo en Bosch. Luis: Soy vegano.'],
    [['Luis: Soy vegano.', 'Ya no como carne.'], 'Ya no como carne. Luis: Soy vegano.'],
    [['王伟: 我吃素。', '我住在上海。'], '我住在上海。王伟: 我吃素。'],
    [['“ben”: I am vegan.', 'I live in Porto.'], 'I live in Porto. “ben”: I am vegan.'],
    [['user: I am vegan.', 'I live in Porto.'], 'I live in Porto. user: I am vegan.'],
    [
      ['Ben: The demo is in May.', 'It moved to June.'],
      'Ben: The demo is in May. It moved to June.',
    ],
  ])('show what the owner says of himself before the first name: %j', (sentences, text) => {
    expect(joinSentences(sentences)).toBe(text);
    expect(joinIntoLines(sentences).join('')).toBe(text);
  });

  test('lose the name of the speaker with saidOf', () => {
    const run = ['Ana: We ship in May.', 'Ana: Bo tests.'];
    expect(run.map(saidOf)).toEqual(['We ship in May.', 'Bo tests.']);
    expect(saidOf('It ships in May.')).toBe('It ships in May.');
  });
});

describe('joining sentences into lines', () => {
  test.for<[string, string[], string[]]>([
    [
      'begins a line with each run of one speaker',
      ['Ana: We ship in May.', 'Ana: Bo tests.', 'Bo: I do.'],
      ['Ana: We ship in May. Bo tests.', 'Bo: I do.'],
    ],
    [
      'keeps one line if a sentence has no speaker',
      ['Ana: We ship in May.', 'It was decided.'],
      ['Ana: We ship in May. It was decided.'],
    ],
    [
      'puts no space after a Chinese period',
      ['我们五月上线。', '小王测试。'],
      ['我们五月上线。小王测试。'],
    ],
    ['returns no line for no sentence', [], []],
  ])('%s', ([, sentences, lines]) => {
    expect(joinIntoLines(sentences)).toEqual(lines);
  });
});
