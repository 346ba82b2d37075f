/** The days from which sentences say that something will hold. */
import { describe, expect, test } from 'vitest';
import { announcedDay, withoutOnset } from '#core/extraction/announced-day.ts';
import { statementsOf } from '#core/extraction/statement.ts';

const SAID = { at: Date.parse('2026-11-20T09:00:00Z'), utcOffset: 0 };

function dayOf(sentence: string): string | null {
  const day = announcedDay(sentence, SAID);
  return day === null ? null : new Date(day * 86_400_000).toISOString().slice(0, 10);
}

describe('a change of home or job to come', () => {
  test.each([
    ['We are moving to York on March 1.', '2027-03-01', 'residence'],
    ["I'm moving to York next month.", '2026-12-01', 'residence'],
    ['Next spring we move to York.', '2027-03-01', 'residence'],
    ['We will move to York at the end of March.', '2027-03-01', 'residence'],
    ['In March I start at Siemens.', '2027-03-01', 'employer'],
    ["I'm joining Siemens in March.", '2027-03-01', 'employer'],
    ['My new job at Siemens starts on March 1.', '2027-03-01', 'employer'],
    ['Zum 1. März ziehen wir nach Fulda.', '2027-03-01', 'residence'],
    ['Ich ziehe im April nach Bonn.', '2027-04-01', 'residence'],
    ['Ab März bin ich bei Siemens.', '2027-03-01', 'employer'],
    ['From next January I live in York.', '2027-01-01', 'residence'],
    ['Ab nächstem März wohne ich in Bonn.', '2027-03-01', 'residence'],
    ['Ab dem kommenden März wohne ich in Bonn.', '2027-03-01', 'residence'],
    ['A partir del próximo marzo vivo en Vigo.', '2027-03-01', 'residence'],
    ['Im März fange ich bei Siemens an.', '2027-03-01', 'employer'],
    ['En marzo nos mudamos a Oviedo.', '2027-03-01', 'residence'],
    ['Nos mudamos a Cádiz en mayo.', '2027-05-01', 'residence'],
    ['Nos mudamos a Cádiz el mes que viene.', '2026-12-01', 'residence'],
    ["We're moving to York in June.", '2027-06-01', 'residence'],
    ['In March I start at Siemens. (as of 2026-11-15)', '2027-03-01', 'employer'],
    ['El 1 de marzo me mudo a Oviedo.', '2027-03-01', 'residence'],
    ['Empiezo en Mango en marzo.', '2027-03-01', 'employer'],
    ['三月一号我们搬去佛山。', '2027-03-01', 'residence'],
    ['下个月我要搬到北京。', '2026-12-01', 'residence'],
    ['从三月开始我去字节上班。', '2027-03-01', 'employer'],
  ])('"%s" holds from %s', (sentence, day, topic) => {
    expect(dayOf(sentence)).toBe(day);
    expect(statementsOf(sentence).map((each) => each.topic)).toEqual([topic]);
  });

  test.each([
    'We are moving the launch to March 1.',
    'We are not moving to York in March.',
    'My sister is moving to York on March 1.',
    "I'm joining Anna on Friday for lunch.",
    'I moved to York in March.',
    'Ab Montag bin ich bei Oma.',
    'Meine Schwester zieht im März nach Bonn.',
    'Ich ziehe im März nicht nach Bonn.',
    'En marzo de 2015 nos mudamos a Oviedo.',
    'Mi hermana se muda a Oviedo en marzo.',
    '去年三月我搬到北京。',
    '明天我姐姐去字节上班。',
  ])('is not in "%s"', (sentence) => {
    const isOfSpeaker = statementsOf(withoutOnset(sentence)).some(
      ({ topic, negative }) => !negative && /residence|employer/u.test(topic),
    );
    expect(dayOf(sentence) !== null && isOfSpeaker).toBe(false);
  });
});
