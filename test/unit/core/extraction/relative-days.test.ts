/** Statements with words such as "tomorrow", which count from the day of the message. */
import { describe, expect, test } from 'vitest';
import { isRelative } from '#core/extraction/statement.ts';

describe('a statement', () => {
  test.each([
    'Tomorrow I have an exam.',
    'The audit is today.',
    'My vacation starts in three days.',
    'We fly in 2 weeks.',
    'The dentist comes this morning.',
    'my exam is on friday',
    'Heute ist die Prüfung.',
    'Wir fliegen in zwei Wochen.',
    'Die Kündigung war vor 3 Monaten.',
    'Diese Woche bin ich krank.',
    'Hoy es el examen.',
    'Viajo en dos semanas.',
    'Esta semana estoy de guardia.',
    '今天考试。',
    '三天后出发。',
    '这周我休假。',
  ])('is relative to the day it was said: %s', (text) => {
    expect(isRelative(text)).toBe(true);
  });

  test.each([
    'The surgery is on May 4.',
    'I live in Lyon.',
    'In case of fire, call Tom.',
    'The report has many days of delay.',
    'Ich wohne in Köln.',
    'La operación es el 4 de mayo.',
    'Vivo en Sevilla.',
    '手术是5月4日。',
    '我住在上海。',
  ])('is not relative: %s', (text) => {
    expect(isRelative(text)).toBe(false);
  });
});
