import { describe, expect, test } from 'vitest';
import { isAnswer, restsOnBefore } from '#core/text/dependent-sentence.ts';
import { extractFacts } from '#providers/extractive/extract.ts';

describe('a sentence that rests on the one before', () => {
  test.each([
    'Confirmed again on 20 November 2026.',
    'It is too slow.',
    'The same holds for the API.',
    'Sie bleibt geschlossen.',
    'Lo mismo vale para Madrid.',
    '这也适用于接口。',
  ])('is told by how it begins: %s', (sentence) => {
    expect(restsOnBefore(sentence)).toBe(true);
  });

  test.each([
    'The launch was confirmed.',
    'Das Haus ist alt.',
    'Ann moved to Leeds.',
    '安住在奥斯陆。',
  ])('and one that stands on its own is not: %s', (sentence) => {
    expect(restsOnBefore(sentence)).toBe(false);
    expect(isAnswer(sentence)).toBe(false);
  });

  test('a summary without a model shows a confirmation only behind what it confirms', () => {
    const text = 'The launch is on December 1. Confirmed again on 20 November 2026.';
    const facts = extractFacts([{ id: 'm1', text, at: '2026-11-20T00:00:00Z' }], {
      countTokens: (each) => each.split(/\s+/u).length,
      maxTokens: 500,
      maxSentenceTokens: 50,
    });
    expect(facts.map((fact) => fact.text)).toEqual([text]);
  });
});
