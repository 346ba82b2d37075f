import { describe, expect, test } from 'vitest';
import { questionWindows } from '#core/recall/dates-in-question.ts';

const ASKED = Date.parse('2026-11-20T10:00:00Z');
const covers = (question: string, day: string) =>
  questionWindows(question, ASKED).some(({ from, to }) => {
    const at = Date.parse(`${day}T12:00:00Z`);
    return at >= from && at <= to;
  });

describe('the time that a question asks about', () => {
  test.each([
    ['What broke on the 29th of March?', '2026-03-31', '2026-05-06'],
    ['What did we decide on May 4th?', '2026-05-04', '2026-06-04'],
    ['What broke on 24 July 2025?', '2025-07-25', '2026-07-25'],
    ['What was said on 2026-02-03?', '2026-02-04', '2026-03-04'],
    ['Where did I go yesterday?', '2026-11-19', '2026-11-10'],
    ['What happened last week?', '2026-11-12', '2026-10-12'],
    ['Who wrote to me two weeks ago?', '2026-11-05', '2026-10-05'],
    ['What did I plan in October?', '2026-10-15', '2026-08-15'],
    ['Wo war das Treffen im Juni?', '2026-06-15', '2026-04-15'],
    ['Wen traf ich gestern Abend?', '2026-11-19', '2026-11-10'],
    ['Was geschah am 3. Oktober?', '2026-10-04', '2026-12-04'],
    ['¿Qué entregué el martes pasado?', '2026-11-17', '2026-10-17'],
    ['¿Qué pasó el 5 de agosto de 2025?', '2025-08-06', '2026-08-06'],
    ['上周我去了哪里?', '2026-11-12', '2026-10-12'],
    ['五月二十六日那天怎么了?', '2026-05-27', '2026-07-27'],
    ['今年8月我买了什么?', '2026-08-20', '2026-05-20'],
  ])('covers the right days for %s', (question, inside, outside) => {
    expect(covers(question, inside)).toBe(true);
    expect(covers(question, outside)).toBe(false);
  });

  test.each(['May I ask who called?', 'What does the march cost?', '几个月大了?', 'Who is Ann?'])(
    'is empty for %s',
    (question) => {
      expect(questionWindows(question, ASKED)).toEqual([]);
    },
  );

  test('is the last such day before the question if no year is named', () => {
    expect(covers('What broke on December 24?', '2025-12-25')).toBe(true);
  });
});
