import { describe, expect, test } from 'vitest';
import { questionWindows } from '#core/recall/question/dates-in-question.ts';

const ASKED = Date.parse('2026-11-20T10:00:00Z');
/** Returns how much a question prefers what was said at noon of a day. */
const preference = (question: string, day: string, at = ASKED) => {
  const said = Date.parse(`${day}T12:00:00Z`);
  return questionWindows(question, at)
    .filter(({ from, to }) => said >= from && said <= to)
    .reduce((sum, { weight }) => sum + weight, 0);
};
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

  // Asked on November 20.
  test.each([
    ['Who did I have lunch with on the 17th?', '2026-11-17', '2026-11-18'],
    ['What happened on the 25th?', '2026-10-25', '2026-11-19'],
    ['What did I do on the 31st?', '2026-10-31', '2026-11-01'],
    ['Mit wem war ich am 17. essen?', '2026-11-17', '2026-11-18'],
    ['Was habe ich am 17. gegessen?', '2026-11-17', '2026-12-17'],
    ['17号的会议谁参加了?', '2026-11-17', '2026-12-17'],
    ['Was war am 25.?', '2026-10-25', '2026-11-19'],
    ['¿Con quién comí el 17?', '2026-11-17', '2026-11-18'],
    ['¿Qué pasó el día 25?', '2026-10-25', '2026-11-19'],
    ['17号我和谁吃饭了?', '2026-11-17', '2026-11-18'],
    ['Who will be there on the 25th?', '2026-11-25', '2026-10-25'],
    ['What do I have on the 3rd?', '2026-12-03', '2026-11-03'],
    ['Was habe ich am 25. vor?', '2026-11-25', '2026-10-25'],
    ['¿Qué tengo el 25?', '2026-11-25', '2026-10-25'],
    ['25号我要去哪里?', '2026-11-25', '2026-10-25'],
  ])('prefers the day without a month that is meant: %s', (question, meant, other) => {
    expect(preference(question, meant)).toBeGreaterThan(preference(question, other));
  });

  test.each([
    'Who lives on the 3rd floor?',
    'Who is on the 5th place?',
    '3号线到哪里?',
    '¿Cuánto es el 21 %?',
    'Was gab es am 40. Geburtstag?',
    'What did the 12 monkeys do?',
  ])('names no day: %s', (question) => {
    expect(questionWindows(question, ASKED)).toEqual([]);
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

  // November 27, 2026 is a Friday.
  test.each([
    ['Whom did I meet last week?', '2026-11-18', '2026-11-26'],
    ['Whom did I meet last week?', '2026-11-16', '2026-11-13'],
    ['Wen traf ich letzte Woche?', '2026-11-18', '2026-11-25'],
    ['Wen traf ich in der vergangenen Woche?', '2026-11-22', '2026-11-23'],
    ['¿A quién vi la semana pasada?', '2026-11-17', '2026-11-24'],
    ['¿A quién vi la pasada semana?', '2026-11-17', '2026-11-24'],
    ['上周我和谁吃饭?', '2026-11-18', '2026-11-26'],
    ['上个星期我和谁吃饭?', '2026-11-18', '2026-11-26'],
    ['上周一直在下雨吗?', '2026-11-19', '2026-11-24'],
    ['上上周我和谁吃饭?', '2026-11-11', '2026-11-18'],
    ['Whom did I meet the week before last?', '2026-11-11', '2026-11-18'],
    ['Wen traf ich vorletzte Woche?', '2026-11-11', '2026-11-18'],
    ['Whom did I meet this week?', '2026-11-24', '2026-11-18'],
    ['Wen traf ich diese Woche?', '2026-11-24', '2026-11-18'],
    ['What did I do in the past week?', '2026-11-21', '2026-11-19'],
    ['Whom did I meet last Wednesday?', '2026-11-25', '2026-11-26'],
    ['Whom did I meet last Wednesday?', '2026-11-18', '2026-11-26'],
    ['Whom did I meet last Sunday?', '2026-11-22', '2026-11-15'],
    ['Whom did I meet on Wednesday of last week?', '2026-11-18', '2026-11-25'],
    ['Wen traf ich letzten Mittwochabend?', '2026-11-25', '2026-11-24'],
    ['Wen traf ich am Mittwoch letzter Woche?', '2026-11-18', '2026-11-25'],
    ['¿A quién vi el miércoles pasado?', '2026-11-25', '2026-11-26'],
    ['¿A quién vi el pasado sábado?', '2026-11-21', '2026-11-24'],
    ['¿A quién vi el jueves de la semana pasada?', '2026-11-19', '2026-11-26'],
    ['上周三我和谁吃饭?', '2026-11-18', '2026-11-25'],
    ['Whom did I meet yesterday?', '2026-11-26', '2026-11-25'],
    ['昨天我和谁吃饭?', '2026-11-26', '2026-11-27'],
    ['Whom did I meet last month?', '2026-10-20', '2026-11-20'],
    ['Wen traf ich letzten Monat?', '2026-10-20', '2026-11-20'],
    ['Whom did I meet on Tuesday the 3rd?', '2026-11-03', '2026-11-10'],
    ['Whom did I meet on Tuesday, the 6th?', '2026-10-06', '2026-11-06'],
    ['Whom did I meet on Tuesday 3rd after work?', '2026-11-03', '2026-11-04'],
    ['Wen traf ich am Dienstag, den 3.?', '2026-11-03', '2026-11-04'],
    ['Wen traf ich am Dienstag, dem 3. Oktober?', '2026-10-03', '2026-11-03'],
    ['¿A quién vi el martes 3?', '2026-11-03', '2026-11-05'],
    ['¿A quién vi el martes día 3 con Ana?', '2026-11-03', '2026-11-05'],
    ['3号星期二我和谁吃饭?', '2026-11-03', '2026-11-05'],
    ['星期二3号我和谁吃饭?', '2026-11-03', '2026-11-05'],
    ['Whom did I meet in early November?', '2026-11-03', '2026-11-18'],
    ['Whom did I meet at the end of October?', '2026-10-28', '2026-10-05'],
    ['Whom did I meet in mid-November?', '2026-11-15', '2026-11-05'],
    ['Whom did I meet in late October?', '2026-10-28', '2026-11-04'],
    ['Wen traf ich Anfang November?', '2026-11-03', '2026-11-18'],
    ['Wen traf ich Mitte November?', '2026-11-15', '2026-11-24'],
    ['Wen traf ich Ende Oktober?', '2026-10-28', '2026-10-12'],
    ['¿A quién vi a principios de noviembre?', '2026-11-03', '2026-11-18'],
    ['¿A quién vi a mediados de noviembre?', '2026-11-15', '2026-11-24'],
    ['¿A quién vi a finales de octubre?', '2026-10-28', '2026-10-12'],
    ['11月初我和谁吃饭?', '2026-11-03', '2026-11-18'],
    ['十一月中旬我和谁吃饭?', '2026-11-15', '2026-11-24'],
    ['10月底我和谁吃饭?', '2026-10-28', '2026-10-12'],
    ['Whom did I meet on November 3rd?', '2026-11-03', '2026-11-04'],
    ['Whom did I meet in October?', '2026-10-20', '2026-11-05'],
  ])('prefers the named time to its neighbors for %s', (question, named, neighbor) => {
    const asked = Date.parse('2026-11-27T10:00:00Z');
    expect(preference(question, named, asked)).toBeGreaterThan(
      preference(question, neighbor, asked),
    );
  });

  test.each([
    'Who wants three rooms on Tuesday at 3?',
    'Who comes on Tuesday 3pm?',
    'Wer kommt am Dienstag um 3?',
    '¿Quién viene el martes a las 3?',
    '谁住在3号楼?',
    'What did the last week of the trip cost?',
    'Who came late in the evening?',
  ])('names no time in the past in %s', (question) => {
    expect(questionWindows(question, ASKED)).toEqual([]);
  });
});
