import { describe, expect, test } from 'vitest';
import { createStem } from '#core/text/stem.ts';
import { asksAbout } from '#providers/extractive/refers-back.ts';
import { revisedOutcomes, takenBack } from '#providers/extractive/revised-outcomes.ts';
import { extractFacts } from '#providers/extractive/extract-facts.ts';
import { statementKind } from '#providers/extractive/statement-kind.ts';

function revised(...texts: readonly string[]) {
  const talk = texts.map((said, order) => ({ candidate: { order, stems: [] }, said, raw: said }));
  return revisedOutcomes(talk, createStem('english'));
}

describe('an outcome', () => {
  test.each([
    ['We decided: the price is 25.', 'The price is 29 euros, final.'],
    ['The launch is on May 4.', 'The launch has been moved to June 1.'],
    ['We meet on Friday.', 'Sorry, we meet on Monday.'],
    ['We need twelve testers.', 'We now need fifteen testers.'],
    ['The garden party is on Friday.', 'We postponed the party to Sunday.'],
    ['Beschlossen: Die Miete ist 900 Euro.', 'Die Miete ist jetzt 950 Euro.'],
    ['Der Umzug ist am Montag.', 'Der Umzug wurde auf Freitag verlegt.'],
    ['La boda es el 4 de mayo.', 'La boda es ahora el 9 de junio.'],
    ['El alquiler es de 700 euros.', 'Decidido: el alquiler es de 750 euros.'],
    ['会议定在周一。', '会议改到周四。'],
    ['房租是三千元。', '不对，房租是四千元。'],
  ])('is replaced by a later decision about the same thing: "%s", "%s"', (older, newer) => {
    expect([...revised(older, 'Bob: Okay.', newer).replaced]).toEqual([0]);
  });

  test.each([
    ['The price is 25 euros.', 'The price is 25 euros, final.'],
    ['The travel budget is 5,000 euros.', 'We decided: the office budget is 900 euros.'],
    ['Room 12 is free on Monday.', 'Room 14 is now free on Tuesday.'],
    ['Room 12 seats 4 people.', 'We decided that room 14 seats 8 people.'],
    ['We launch on Monday at 9:00.', 'We now launch at 10:00.'],
    ['The price is 25 euros.', 'I propose that the price is 29 euros now.'],
    ['The price is 25 euros.', 'Is the price 29 euros now?'],
    ['We need three days.', 'We now need five people.'],
    ['Das Gehalt der Köche ist 3.000 Euro.', 'Das Gehalt der Kellner ist jetzt 2.400 Euro.'],
    ['El lunes viene Ana.', 'El martes ahora viene Luis.'],
    ['市场部的预算是五万元。', '技术部的预算现在是九万元。'],
  ])('stays beside a later statement about something else: "%s", "%s"', (older, newer) => {
    expect([...revised(older, newer).replaced]).toEqual([]);
  });

  test('stays if a later decision may mean another one', () => {
    const budgets = ['The travel budget changed to 5,000.', 'The office budget changed to 900.'];
    expect([...revised(...budgets, 'The budget changed to 700.').replaced]).toEqual([]);
  });

  test('is completed by a later decision that names only the value', () => {
    const { replaced, completedBy } = revised(
      'We decided: the price is 25 euros.',
      'The launch is on May 4.',
      '29 euros, final.',
    );
    expect([[...replaced], [...completedBy]]).toEqual([[], [[0, 2]]]);
  });
});

const talkOf = (texts: readonly string[]) =>
  texts.map((said, order) => ({ candidate: { order, stems: [] }, said, raw: said }));

describe('an outcome that is taken back', () => {
  test.each([
    ['We decided to use Redis.', 'Scratch that, Postgres is enough.'],
    ['We go with Redis.', 'Forget it, let us use Postgres.'],
    ['We launch on Friday.', 'Wait, no, Monday.'],
    ['We will take the train.', 'On second thought, we go by car.'],
    ['Wir nehmen Postgres.', 'Moment, doch lieber SQLite, Postgres ist zu viel Aufwand.'],
    ['Wir nehmen den Zug.', 'Vergiss das, wir nehmen den Bus.'],
    ['Wir treffen uns am Freitag.', 'Nein, doch am Montag.'],
    ['Decidimos usar Redis.', 'Olvídalo, mejor Postgres.'],
    ['Quedamos en el bar.', 'Pensándolo bien, mejor en casa.'],
    ['我们决定用 Redis。', '算了，还是用 Postgres 吧。'],
    ['就定在周三。', '等等，改到周五吧。'],
  ])('is left out: "%s", "%s"', (older, newer) => {
    expect([...takenBack(talkOf([older, 'Okay, noted.', newer]))]).toEqual([0]);
  });

  test.each([
    ['We decided to use Redis.', 'Scratch that?'],
    ['We decided to use Redis.', 'Forget it, the printer is broken again.'],
    ['We decided to use Redis.', 'Never mind.'],
    ['We decided to use Redis.', 'I forget what we use.'],
    ['Wir nehmen Postgres.', 'Das habe ich doch gesagt.'],
    ['Decidimos usar Redis.', 'Nunca olvido mejorar.'],
    ['我们决定用 Redis。', '算了。'],
    ['Cats like fish.', 'Scratch that, dogs are better.'],
  ])('stays without something else in its place: "%s", "%s"', (older, newer) => {
    expect([...takenBack(talkOf([older, newer]))]).toEqual([]);
  });
});

test.each([
  ['Hmm, what about Ghent?', 'AfterWords'],
  ['How about the red one?', 'AtOnce'],
  ['Und Gent?', 'AtOnce'],
  ['Und was ist mit Gent?', 'AtOnce'],
  ['¿Y Gante?', 'AtOnce'],
  ['¿Qué tal el lunes?', 'AtOnce'],
  ['根特呢？', 'AtOnce'],
  ['Where do we meet?', null],
  ['Did you ask what about him is new?', null],
  ['Is it far and is it cheap?', null],
])('"%s" names what the next sentence is about: %s', (said, expected) => {
  expect(asksAbout(said)).toBe(expected);
});

test.each([
  ['What about Ghent? The train is direct.', 'What about Ghent? The train is direct.'],
  ['Hmm, what about Ghent? The train is direct.', 'what about Ghent? The train is direct.'],
  ['Und Gent? Der Zug ist direkt.', 'Und Gent? Der Zug ist direkt.'],
  ['¿Y Gante? El tren es directo.', '¿Y Gante? El tren es directo.'],
])('what follows a question about one thing is told only with it: "%s"', (said, told) => {
  const sources = ['I would suggest Krakow, it is cheap.', said].map((text, place) => ({
    id: String(place),
    text,
    at: '2026-11-20T09:00:00Z',
    speaker: 'user',
  }));
  const countTokens = (text: string): number => Math.ceil(text.length / 4);
  const facts = extractFacts(sources, { countTokens, maxTokens: 500, maxSentenceTokens: 60 });
  expect(
    facts
      .map(({ text }) => text)
      .slice(1)
      .join(' '),
  ).toBe(told);
});

test.each([
  ['那就用 Postgres 吧。', 'Outcome'],
  ['那我们就选乙吧。', 'Outcome'],
  ['那么就这样。', 'Outcome'],
  ['那就好。', 'Other'],
  ['那就不知道了。', 'Other'],
  ['那就太贵了。', 'Other'],
])('"%s" is %s', (said, kind) => {
  expect(statementKind(said)).toBe(kind);
});

test.each([
  [
    'Outcome',
    'We go with the red one.',
    'Wir nehmen den Zug.',
    'Quedamos en el bar.',
    '就定在周三。',
  ],
  [
    'Outcome',
    'I will call the bank.',
    'Ich rufe die Bank an.',
    'Yo llamo al banco.',
    '我来打电话。',
  ],
  ['Outcome', 'It opens at 9 am.', 'Es öffnet um 9 Uhr.', 'Abre a las nueve.', '上午九点开门。'],
  ['Proposal', 'Maybe on Friday.', 'Vielleicht am Freitag.', 'Quizás el viernes.', '也许周五。'],
  ['Proposal', 'I suggest ten.', 'Ich schlage zehn vor.', 'Sugiero diez.', '我建议十个。'],
  ['Question', 'At 9?', 'Um 9 Uhr?', '¿A las nueve?', '九点吗？'],
  ['Story', 'It was hot.', 'Es war heiß.', 'Ayer hizo calor.', '昨天很热。'],
  ['Other', 'Cats like fish.', 'Katzen mögen Fisch.', 'El gato es gris.', '猫喜欢鱼。'],
] as const)('%s: "%s", "%s", "%s", "%s"', (kind, ...said) => {
  expect(said.map((each) => statementKind(each))).toEqual(said.map(() => kind));
});
