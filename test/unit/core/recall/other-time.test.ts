/** What is to come, or holds for a limited time, ends nothing that holds in general. */
import { describe, expect, test } from 'vitest';
import { decide, type Known } from '#core/extraction/compare-with-known.ts';
import { extract } from '#core/extraction/extract-statements.ts';
import { statementsOf, type Statement } from '#core/extraction/statement.ts';
import { isMarked } from './is-marked.ts';

const SAID = Date.parse('2026-10-07T09:00:00Z');
const DAY_MS = 86_400_000;
const dayOf = (iso: string): number => Date.parse(iso) / DAY_MS;

/** Whether the newer of two memories, of two days, marks the older one on a later day. */
function isMarkedOn(older: string, newer: string, today = '2026-10-20'): boolean {
  return isMarked(older, newer, { said: SAID, step: DAY_MS, today: dayOf(today) });
}

/** Returns what becomes of the statements of a newer text. */
function eventsOf(older: string, newer: string): readonly string[] {
  return decisionsOn(older, statementsOf(newer));
}

/** As `eventsOf`, with sentences that only end something. */
function changesOf(older: string, content: string): readonly string[] {
  const message = { id: 'b', role: 'user', speaker: null, content, at: SAID + DAY_MS } as const;
  return decisionsOn(
    older,
    extract([message]).map(({ statement }) => statement),
  );
}

function decisionsOn(older: string, statements: readonly Statement[]): readonly string[] {
  const known: Known = {
    id: 'older',
    content: older,
    at: SAID,
    live: true,
    sources: ['a'],
    speaker: null,
  };
  return statements.map((statement) => {
    const said = { statement, source: 'b', at: SAID + DAY_MS, speaker: null };
    return decide(said, [known], []).event;
  });
}

const ANNOUNCED: readonly (readonly [older: string, newer: string])[] = [
  ['I work at Bosch.', 'From next month I work at Siemens.'],
  ['My rent is 1,200 euros.', 'From January on my rent is 1,350 euros.'],
  ['My manager is Priya.', 'My manager will be Tomas from March.'],
  ['I live in Leeds.', 'From the beginning of next year I live in York.'],
  ['I work at Bosch.', 'As of December 1 I work at Siemens.'],
  ['My rent is 1,200 euros.', 'From January my rent will be 1,350 euros.'],
  ['My rent is 1,200 euros.', 'As of January 1, 2027, my rent is 1,350 euros.'],
  ['My rent is 1,200 euros.', 'Starting in January the rent goes up to 1,350 euros.'],
  ['I pay 800 in rent.', 'From March I pay 900 in rent.'],
  ['The subscription costs 10 euros', 'From March 1st the subscription costs 12 euros.'],
  ['Die Miete kostet 1200 Euro.', 'Ab Januar kostet die Miete 1350 Euro.'],
  ['Meine Miete ist 1200 Euro.', 'Ab Januar kostet die Miete 1350 Euro.'],
  ['Ich zahle 1200 Euro Miete.', 'Ab dem 1. Januar zahle ich 1350 Euro Miete.'],
  ['Die Miete ist 1200 Euro.', 'Ab nächstem Monat wird die Miete 1350 Euro betragen.'],
  ['Das Abo kostet 10 Euro', 'Das Abo kostet ab März 12 Euro'],
  ['Pago 800 euros al mes.', 'A partir de marzo pago 900 euros al mes.'],
  ['Mi alquiler es de 800 euros.', 'A partir del mes que viene mi alquiler será de 900 euros.'],
  ['El alquiler es de 800 euros.', 'A partir de marzo el alquiler sube a 900 euros.'],
  ['房租是4500元。', '从三月起房租是5000元。'],
  ['我的房租是4500元。', '我的房租从一月开始涨到5000元。'],
  ['我每月付4500元房租。', '从下个月起我每月付5000元房租。'],
  ['Ich wohne in Köln.', 'Ab nächstem Monat wohne ich in Bonn.'],
  ['Ich arbeite bei Bosch.', 'Ab dem 1. Dezember arbeite ich bei Siemens.'],
  ['Ich wohne in Köln.', 'Ab Mitte November wohne ich in Bonn.'],
  ['Vivo en Madrid.', 'A partir de enero vivo en Sevilla.'],
  ['Vivo en Madrid.', 'Desde el próximo mes vivo en Lugo.'],
  ['Trabajo en Iberia.', 'A partir del mes que viene trabajo en Vueling.'],
  ['我住在上海。', '从明年一月起我住在杭州。'],
  ['我住在上海。', '从下个月开始我住在苏州。'],
];

describe('what is announced for a later day', () => {
  test.each(ANNOUNCED)('"%s" holds until the day of "%s"', (older, newer) => {
    expect(isMarkedOn(older, newer)).toBe(false);
    expect(isMarkedOn(older, newer, '2027-04-05')).toBe(true);
    expect(eventsOf(older, newer).filter((event) => event === 'SUPERSEDE')).toEqual([]);
  });

  test.each([
    ['I work at Bosch.', 'From now on I work at Siemens.'],
    ['I work at Bosch.', 'As of today I work at Siemens.'],
    ['I work at Bosch.', 'Since September I work at Siemens.'],
    ['Ich wohne in Köln.', 'Ab sofort wohne ich in Bonn.'],
    ['Ich wohne in Köln.', 'Seit Januar wohne ich in Bonn.'],
    ['Vivo en Madrid.', 'Desde enero vivo en Sevilla.'],
    ['我住在上海。', '从去年一月起我住在杭州。'],
    ['The launch is on May 4.', 'We moved the launch from May 4 to June 1.'],
  ])('"%s" ends with "%s", which holds already', (older, newer) => {
    expect(isMarkedOn(older, newer)).toBe(true);
  });

  test.each([
    ['The rent is 1,200 euros.', 'From January on the parking is 50 euros.'],
    ['Die Miete kostet 1200 Euro.', 'Ab Januar kostet die Garage 50 Euro.'],
    ['Pago 800 euros de alquiler.', 'A partir de marzo pago 90 euros de gimnasio.'],
    ['房租是4500元。', '从三月起车位是500元。'],
    ['I have two kids.', 'From March I have three days off.'],
  ])('"%s" holds beside "%s", also later', (older, newer) => {
    expect(isMarkedOn(older, newer, '2027-04-05')).toBe(false);
  });

  test.each([
    'From January on my rent is 1,350.',
    'From January my rent is 1,350 euros.',
    'As of January my rent is 1,350.',
    'Starting in January, my rent is 1,350.',
    'My rent will be 1,350 from January on.',
    'From next month on our budget is 1,350.',
    'Ab Januar ist meine Miete 1350 Euro.',
    'Meine Miete beträgt ab Januar 1350 Euro.',
    'A partir de enero mi alquiler es de 1350 euros.',
    'Mi alquiler será de 1350 euros a partir de enero.',
    '从一月起我的房租是5000元。',
    '我的房租从一月开始是5000元。',
  ])('"%s" is a statement', (text) => {
    expect(statementsOf(text)).toMatchObject([
      { text, topic: expect.stringMatching(/^my:/u) as string },
    ]);
  });

  test.each([
    'If from January on my rent is 1,350, I move.',
    'Is my rent 1,350 from January on?',
    'We moved the launch from January to May.',
  ])('"%s" is none', (text) => {
    expect(statementsOf(text).filter(({ topic }) => topic.startsWith('my:'))).toEqual([]);
  });

  test.each([
    ['From January I work at Siemens.', 'I work at Bosch.'],
    ['Ab Januar wohne ich in Bonn.', 'Ich wohne in Köln.'],
    ['A partir de enero vivo en Sevilla.', 'Vivo en Madrid.'],
    ['从明年一月起我住在杭州。', '我住在上海。'],
  ])('"%s" stays after "%s", which is about today', (older, newer) => {
    expect(isMarkedOn(older, newer)).toBe(false);
    expect(eventsOf(older, newer)).toEqual(['ADD']);
  });

  test.each([
    ['From January I work at Siemens.', 'From January I work at Google.'],
    ['From January I work at Siemens.', 'I am not joining Siemens after all.'],
    ['Ab Januar wohne ich in Bonn.', 'Wir ziehen doch nicht nach Bonn.'],
    ['A partir de enero vivo en Sevilla.', 'Al final no me mudo a Sevilla.'],
  ])('"%s" is replaced by "%s"', (older, newer) => {
    expect(eventsOf(older, newer)).toEqual(['SUPERSEDE']);
  });
});

const FOR_A_TIME: readonly (readonly [older: string, newer: string])[] = [
  ['I live in Leeds.', 'I live in Lisbon for two weeks in November.'],
  ['My phone number is 0151 2345678.', 'While I am in the US my phone number is +1 202 555 0199.'],
  ['I work from the Leeds office.', 'This week I work from the London office.'],
  ['My manager is Priya.', 'Tom is my manager while Priya is on leave.'],
  ['I live in Leeds.', 'I live in Bath until our house is finished.'],
  ['Ich wohne in Köln.', 'Für drei Monate wohne ich in Lissabon.'],
  ['Meine Nummer ist 0151 2345678.', 'Solange ich in Porto bin, ist meine Nummer 0170 9876543.'],
  ['Ich arbeite bei Bosch.', 'Bis Ende November arbeite ich bei Siemens.'],
  ['Mein Chef ist Tom.', 'Während meiner Elternzeit ist Ines mein Chef.'],
  ['Vivo en Madrid.', 'Esta semana vivo en Sevilla.'],
  ['Vivo en Madrid.', 'Vivo en Lisboa dos semanas en noviembre.'],
  ['Trabajo en Madrid.', 'Mientras dura la obra trabajo en Lugo.'],
  ['我住在上海。', '这周我住在杭州。'],
  ['我住在上海。', '出差期间我住在深圳。'],
];

describe('what holds for a limited time', () => {
  test.each(FOR_A_TIME)('"%s" holds beside "%s"', (older, newer) => {
    expect(isMarkedOn(older, newer)).toBe(false);
    expect(eventsOf(older, newer).filter((event) => event === 'SUPERSEDE')).toEqual([]);
  });

  test.each([
    ['I live in Leeds.', 'I moved to York this week.'],
    ['I work at Bosch.', 'As of this week I work at Siemens.'],
    ['I live in Leeds.', 'I have moved to York for good.'],
    ['Ich wohne in Köln.', 'Ich bin diese Woche nach Bonn gezogen.'],
    ['Vivo en Madrid.', 'Esta semana me he mudado a Sevilla.'],
    ['我住在上海。', '这个月我搬到杭州了。'],
    ['I live in Lisbon for two weeks.', 'This week I live in Porto.'],
    ['My elective this term is Organic Chemistry.', 'My elective this term is Medieval History.'],
    ['I drive a Honda Civic.', 'I sold the Civic, so I am on the train until I find another.'],
  ])('"%s" ends with "%s"', (older, newer) => {
    expect(isMarkedOn(older, newer)).toBe(true);
  });
});

describe('a change that is taken back', () => {
  test.each([
    ['I moved to York.', 'Just kidding, I did not move, I still live in Leeds.'],
    ['I moved to York.', 'I did not move to York in the end.'],
    ['I moved to York.', 'We are not moving after all, we stay in Leeds.'],
    ['My new boss is Ines.', 'Ines left, Tom is my boss again.'],
    ['I joined Siemens.', 'I did not join Siemens, the offer fell through.'],
    ['Ich bin nach Bonn gezogen.', 'Doch nicht Bonn, wir bleiben in Köln.'],
    ['Ich bin nach Bonn gezogen.', 'Scherz, ich bin gar nicht nach Bonn gezogen.'],
    ['Meine Chefin ist Ines.', 'Ines ist weg, Tom ist wieder mein Chef.'],
    ['Me mudé a Sevilla.', 'Era broma, no me mudé a Sevilla, sigo en Madrid.'],
    ['Me mudé a Sevilla.', 'Al final nos quedamos en Madrid.'],
    ['Mi jefa es Inés.', 'Inés se fue, Tomás vuelve a ser mi jefe.'],
    ['我搬到了杭州。', '开玩笑的，我没搬到杭州，还住在上海。'],
    ['我的新老板是张敏。', '张敏走了，王伟又是我的老板了。'],
  ])('"%s" is replaced by "%s"', (older, newer) => {
    expect(eventsOf(older, newer)).toContain('SUPERSEDE');
  });

  test.each([
    ['I moved to York.', 'I did not move for ten minutes.'],
    ['I moved to York.', 'I did not move the car.'],
    ['I moved to York.', 'My sister did not move.'],
    ['I live in York.', 'I did not move.'],
    ['Ich bin nach Bonn gezogen.', 'Mein Bruder ist nicht umgezogen.'],
    ['Me mudé a Sevilla.', 'Mi hermana no se ha mudado.'],
    ['我搬到了杭州。', '我弟弟没搬家。'],
    ['I live in York.', 'We stayed in Leeds for the night.'],
    ['I live in York.', 'We are staying in Bath over the weekend.'],
    ['I live in York.', 'I did not move to Leeds.'],
    ['I moved to York.', 'Just kidding about the weather.'],
    ['Ich wohne in Bonn.', 'Wir bleiben drei Nächte in Köln.'],
    ['Vivo en Sevilla.', 'Nos quedamos en un hotel en Madrid.'],
    ['我住在杭州。', '我们在上海住酒店。'],
  ])('"%s" stays after "%s"', (older, newer) => {
    expect(eventsOf(older, newer).filter((event) => event === 'SUPERSEDE')).toEqual([]);
    expect(isMarkedOn(older, newer)).toBe(false);
  });

  test.each([
    ['I moved to York.', 'Just kidding, I did not move.'],
    ['I moved to York.', 'Just kidding! I didn’t move.'],
    ['I moved to York.', 'Kidding, I haven’t moved anywhere.'],
    ['We moved to York.', 'I was just joking, we did not move.'],
    ['I moved to York.', 'It was just a joke, I didn’t move after all.'],
    ['I joined Siemens.', 'Just kidding, I did not change jobs.'],
    ['Ich bin nach Bonn gezogen.', 'War nur ein Scherz, ich bin nicht umgezogen.'],
    ['Wir sind nach Bonn umgezogen.', 'Das war nur Spaß, wir sind gar nicht umgezogen!'],
    ['Ich bin zu Siemens gewechselt.', 'War ein Scherz, ich habe den Job nicht gewechselt.'],
    ['Me mudé a Sevilla.', 'Era broma, no me he mudado.'],
    ['Nos mudamos a Sevilla.', 'Solo era una broma, no nos hemos mudado.'],
    ['我搬到了杭州。', '开玩笑的，我没搬家。'],
    ['我搬到杭州了。', '开个玩笑，其实我没有搬家。'],
  ])('"%s" ends with "%s", which names no place', (older, newer) => {
    expect(changesOf(older, newer)).toEqual(['SUPERSEDE']);
  });

  test.each([
    ['I moved to York. Just kidding!', []],
    ['Me mudé a Sevilla. ¡Es broma!', []],
    ['Just kidding, I am allergic to work.', []],
    ['Scherz, ich bin gegen Arbeit allergisch.', []],
  ])('"%s" states nothing', (text, texts) => {
    expect(statementsOf(text).map((each) => each.text)).toEqual(texts);
  });
});
