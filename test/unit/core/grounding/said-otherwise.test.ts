import { describe, expect, test } from 'vitest';
import { outcomeOf } from '#bench/grounding-cases.ts';

/** 2 March 2026 was a Monday. */
const AT = '2026-03-02';

function outcome(text: string, claim: string, speaker?: string) {
  return outcomeOf({
    id: 'one',
    lang: '',
    kind: 'faithful',
    type: '',
    sources: [{ id: 's1', at: AT, text, ...(speaker === undefined ? {} : { speaker }) }],
    claim,
    quote: text,
  });
}

describe('amounts and times that a claim says in other figures', () => {
  test.each([
    ['The meeting is at 15:30.', 'The meeting is at half past three in the afternoon.'],
    ['The meeting is at 9:45.', 'The meeting is at a quarter to ten.'],
    ['It takes three quarters of an hour.', 'It takes 45 minutes.'],
    ['We need half a kilo of flour.', '500 grams of flour are needed.'],
    ['Release is planned for Q4 2026.', 'The release is planned for the fourth quarter of 2026.'],
    ['She visits every other week.', 'She visits every two weeks.'],
    ['They meet twice a week.', 'They meet two times a week.'],
    ['Last year revenue was 4 million.', 'Revenue was 4 million in 2025.'],
    ['Das Treffen ist um 15:30 Uhr.', 'Das Treffen ist um halb vier.'],
    ['Das Treffen ist um 15 Uhr.', 'Das Treffen beginnt nachmittags um drei.'],
    ['Wir brauchen ein halbes Kilo Mehl.', 'Es werden 500 Gramm Mehl benötigt.'],
    ['La reunión es a las 15:30.', 'La reunión es a las tres y media de la tarde.'],
    ['El alquiler es de 1.200 euros al mes.', 'El alquiler mensual es de 1.200 euros.'],
    ['La boda es el mes que viene.', 'La boda es en abril.'],
    ['我们下午三点半出发。', '我们15:30出发。'],
    ['房租每月三千元。', '每个月的房租是3000元。'],
    ['我们上个月买了房子。', '我们2月买了房子。'],
    ['三天后交货。', '3月5日交货。'],
  ])('%s is %s', (text, claim) => {
    expect(outcome(text, claim)).toBe('AsWorded');
  });

  test.each([
    ['The meeting is at nine in the morning.', 'The meeting is at nine in the evening.'],
    ['The meeting is at 9:30.', 'The meeting is at half past eight.'],
    ['Release is planned for Q4 2026.', 'The release is planned for the third quarter of 2026.'],
    ['She visits every other week.', 'She visits every other month.'],
    ['They meet twice a week.', 'They meet three times a week.'],
    ['Last year revenue was 4 million.', 'Revenue was 4 million in 2024.'],
    ['Das Treffen ist um halb vier.', 'Das Treffen ist um halb fünf.'],
    ['Ein Drittel der Äpfel ist reif.', 'Zwei Drittel der Äpfel sind reif.'],
    ['La reunión es a las 9 de la mañana.', 'La reunión es a las nueve de la noche.'],
    ['El alquiler es de 1.200 euros al mes.', 'El alquiler anual es de 1.200 euros.'],
    ['La boda es en mayo.', 'La boda es en abril.'],
    ['会议早上9点开始。', '会议晚上九点开始。'],
    ['房租每月三千元。', '每年的房租是3000元。'],
    ['婚礼在4月。', '婚礼在5月。'],
  ])('%s is not %s', (text, claim) => {
    expect(outcome(text, claim)).toBe('Replaced');
  });
});

describe('a claim in other words', () => {
  test.each([
    ['several words that say what one says', 'Entry is free.', 'Entry costs nothing.'],
    ['a word of two lines of synonyms', 'Company sales doubled.', 'Company revenue doubled.'],
    ['a light word as a verb', 'Ann: I object to the date.', 'Ann objected to the date.'],
    ['what a number measures', 'A route of 12 km.', 'The route is 12 km long.'],
    ['a ban', 'Entering the hall is prohibited.', 'You must not enter the hall.'],
    ['a question', 'Thea: Kann mir jemand helfen?', 'Thea fragte, ob jemand helfen könne.'],
    ['a particle that leads nowhere', 'Ten hectares burned.', 'Ten hectares burned down.'],
    ['a doer behind the verb', 'Greta: El jarrón lo rompí yo.', 'Greta rompió el jarrón.'],
  ])('stays as worded with %s', (_, said, claim) => {
    const [, speaker, text] = /^(?:(Ann|Thea|Greta): )?(.*)$/u.exec(said) ?? [];
    expect(outcome(text ?? '', claim, speaker)).toBe('AsWorded');
  });

  test.each([
    [
      'another preposition',
      'The choir meets above the bakery.',
      'The choir meets below the bakery.',
    ],
    ['another owner', "Ann reported Bob's dog.", "Bob reported Ann's dog."],
    ['another doer', '博物馆向白家借了一幅版画。', '白家向博物馆借了一幅版画。'],
    ['a doer of another clause', '李兰演露露，李娜负责提词。', '演露露的是李娜。'],
    [
      'a kept verb left out',
      'Ich überlege, den Garten zu verpachten.',
      'Malte verpachtet den Garten.',
    ],
    [
      'a leading verb left out',
      'Estoy pensando en alquilar el huerto.',
      'Gorka alquila el huerto.',
    ],
    ['a day left out', 'The room is wiped every Sunday night.', 'The room is wiped every night.'],
    ['the opposite by its prefix', 'Die Rechnung ist unbezahlt.', 'Die Rechnung ist bezahlt.'],
    [
      'a denial inside a compound',
      'There is no no-poaching clause.',
      'There is a no-poaching clause.',
    ],
    ['what is not forbidden', 'Smoking is not prohibited here.', 'Smoking is prohibited here.'],
  ])('gives way to its source with %s', (_, text, claim) => {
    const speaker = /Malte|Gorka/u.exec(claim)?.[0];
    expect(outcome(text, claim, speaker)).toBe('Replaced');
  });

  test('gives way where what someone else has is said of who speaks', () => {
    const text = "I can't eat shellfish, and my brother is allergic to peanuts.";
    const claim = "Hannah is allergic to peanuts and her brother can't eat shellfish.";
    expect(outcome(text, claim, 'Hannah')).toBe('Replaced');
  });

  test('gives way where who pays stands in the clause before', () => {
    const text = 'OK so Greg books and pays the hotel, I take the rental car.';
    const claim = 'Maya pays for the hotel and Greg for the rental car.';
    expect(outcome(text, claim, 'Maya')).toBe('Replaced');
  });
});
