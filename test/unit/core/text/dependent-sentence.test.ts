import { describe, expect, test } from 'vitest';
import { cannotStandAlone, isAnswer, dependsOnPrevious } from '#core/text/dependent-sentence.ts';
import { extractFacts } from '#providers/extractive/extract-facts.ts';

describe('a sentence that depends on the one before', () => {
  test.each([
    'Confirmed again on 20 November 2026.',
    'It is too slow.',
    'The same holds for the API.',
    'Sie bleibt geschlossen.',
    'Lo mismo vale para Madrid.',
    '这也适用于接口。',
  ])('is recognized by its beginning: %s', (sentence) => {
    expect(dependsOnPrevious(sentence)).toBe(true);
  });

  test.each([
    'The launch was confirmed.',
    'Das Haus ist alt.',
    'Ann moved to Leeds.',
    '安住在奥斯陆。',
  ])('differs from one that can stand alone: %s', (sentence) => {
    expect(dependsOnPrevious(sentence)).toBe(false);
    expect(cannotStandAlone(sentence)).toBe(false);
    expect(isAnswer(sentence)).toBe(false);
  });

  test('appears in an extractive summary only after what it confirms', () => {
    const text = 'The launch is on December 1. Confirmed again on 20 November 2026.';
    const facts = extractFacts([{ id: 'm1', text, at: '2026-11-20T00:00:00Z' }], {
      countTokens: (each) => each.split(/\s+/u).length,
      maxTokens: 500,
      maxSentenceTokens: 50,
    });
    expect(facts.map((fact) => fact.text)).toEqual([text]);
  });

  const FIRST = 'The launch of the new shop was planned for the first of May by the whole team.';
  const options = {
    countTokens: (each: string) => each.split(/\s+/u).length,
    maxSentenceTokens: 50,
  };

  test.each([
    'Cancelled by the board.',
    'Postponed to June.',
    'Tom confirmed this on Monday.',
    'Priya approved it twice.',
    'His sister objected in writing.',
    'The second one costs 40 euros.',
    'But Northbank approved the contract.',
    'So Priya moved it to May 4.',
    'Aber Priya hat Stripe gewählt.',
    'También Tom votó en contra.',
    'Until Friday, it stays closed.',
    'Until then, Ann has the key.',
    'There it costs 40 euros.',
    'I started there on Monday.',
    'There the rent is lower.',
    'Here is why Tom left.',
    'The reason is the rent.',
    'Bis Freitag bleibt sie geschlossen.',
    'Bis dahin hat Ann den Schlüssel.',
    'Dort kostet der Platz 40 Euro.',
    'Der Grund ist die Miete.',
    'Hasta el viernes, ella tiene la llave.',
    'Allí cuesta 40 euros.',
    'El motivo es el alquiler.',
    '那里的租金更低。',
    '原因是租金太高。',
    '到周五之前，它不开门。',
  ])('is left out of an extractive summary without the one before: %s', (sentence) => {
    const sources = [{ id: 'm1', text: `${FIRST} ${sentence}`, at: '2026-11-20T00:00:00Z' }];
    const short = extractFacts(sources, { ...options, maxTokens: 12 });
    expect(short.map(({ text }) => text)).not.toContain(sentence);
    const whole = extractFacts(sources, { ...options, maxTokens: 50 });
    expect(whole.map(({ text }) => text).join(' ')).toBe(`${FIRST} ${sentence}`);
  });

  test('stays with all those before it in a series', () => {
    const row = 'The old office was in Lyon. The latter is a gym. Both are close. So we moved.';
    const facts = extractFacts([{ id: 'm1', text: row, at: '2026-11-20T00:00:00Z' }], {
      ...options,
      maxTokens: 500,
    });
    expect(facts.map(({ text }) => text).join(' ')).toBe(row);
  });

  test('is not lost in a long series about one person', () => {
    const row =
      'Dana is our CTO. She lives in Porto with two dogs. She prefers asynchronous reviews. ' +
      'She is allergic to nuts and penicillin. She joined the company in 2021 as a designer. ' +
      'Her sister works at Acme.';
    const sources = [{ id: 'm1', text: row, at: '2026-11-20T00:00:00Z' }];
    const facts = extractFacts(sources, { ...options, maxTokens: 500, maxSentenceTokens: 25 });
    expect(facts.map(({ text }) => text).join(' ')).toBe(row);
  });

  test.each([
    'Priya said that Tom left.',
    'Only Tom knows the code.',
    'The shop moved to Leeds.',
    'There is a gym in Lyon.',
    'There are two cats at home.',
    'Until Friday, the west gate is closed.',
    'On Monday, Ann flies to Rome.',

    'Here is the address of the office.',
    'The reason for the delay of the launch was the rent.',
    'Bis Freitag bleibt das Tor geschlossen.',
    'Da Vinci ist der Name des Cafés.',
    'Der Grund für den Umzug nach Lyon ist die Miete.',
    'Hasta el viernes, Ana tiene la llave.',
    '到周五之前，西门不开。',
  ])('differs from one that names all it refers to: %s', (sentence) => {
    expect(cannotStandAlone(sentence)).toBe(false);
  });
});
