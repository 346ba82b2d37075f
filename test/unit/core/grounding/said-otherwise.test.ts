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

describe('amounts and times that a claim writes differently', () => {
  test.each([
    ['The meeting is at 15:30.', 'The meeting is at half past three in the afternoon.'],
    ['The meeting is at 9:45.', 'The meeting is at a quarter to ten.'],
    ['It takes three quarters of an hour.', 'It takes 45 minutes.'],
    ['We need half a kilo of flour.', '500 grams of flour are needed.'],
    ['Release is planned for Q4 2026.', 'The release is planned for the fourth quarter of 2026.'],
    ['She visits every other week.', 'She visits every two weeks.'],
    ['They meet twice a week.', 'They meet two times a week.'],
    ['Last year revenue was 4 million.', 'Revenue was 4 million in 2025.'],
    ['The launch is on 5 March.', 'The launch is in 2026.'],
    ['The launch is on 2027-03-05.', 'The launch is in 2027.'],
    ['The launch is on March 5.', 'The launch is on the 5th.'],
    ['The flat has rooms 3-5 free.', 'The flat has rooms 3 and 5 free.'],
    ['The sensor is the T1000 model.', 'The sensor is the 1000 model.'],
    ['Anna kauft Karten für Züge.', 'Anna kauft eine Zugkarte.'],
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
  ])('%s supports %s', (text, claim) => {
    expect(outcome(text, claim)).toBe('AsWorded');
  });

  test.each([
    ['The meeting is at nine in the morning.', 'The meeting is at nine in the evening.'],
    ['The meeting is at 9:30.', 'The meeting is at half past eight.'],
    ['Release is planned for Q4 2026.', 'The release is planned for the third quarter of 2026.'],
    ['She visits every other week.', 'She visits every other month.'],
    ['They meet twice a week.', 'They meet three times a week.'],
    ['Last year revenue was 4 million.', 'Revenue was 4 million in 2024.'],
    ['The launch is on 5 March.', 'The launch is in 2025.'],
    ['The launch is on 2027-03-05.', 'The launch is in 2026.'],
    ['The launch is in 2027.', 'The launch is in 2026.'],
    ['The launch is next year.', 'The launch is in 2026.'],
    ['We met Ann. The launch is on 5 March 2027.', 'The launch is in 2026.'],
    ['The launch is on March 5.', 'The launch is on the 6th.'],
    ['The run takes a minute.', 'The run takes an hour.'],
    ['Anna kauft Karten für Busse.', 'Anna kauft eine Zugkarte.'],
    ['Anna kauft neue Züge.', 'Anna kauft eine Zugkarte.'],
    ['Das Treffen ist um halb vier.', 'Das Treffen ist um halb fünf.'],
    ['Ein Drittel der Äpfel ist reif.', 'Zwei Drittel der Äpfel sind reif.'],
    ['La reunión es a las 9 de la mañana.', 'La reunión es a las nueve de la noche.'],
    ['El alquiler es de 1.200 euros al mes.', 'El alquiler anual es de 1.200 euros.'],
    ['La boda es en mayo.', 'La boda es en abril.'],
    ['会议早上9点开始。', '会议晚上九点开始。'],
    ['房租每月三千元。', '每年的房租是3000元。'],
    ['婚礼在4月。', '婚礼在5月。'],
  ])('%s does not support %s', (text, claim) => {
    expect(outcome(text, claim)).toBe('Replaced');
  });
});

describe('amounts in another notation', () => {
  test.each([
    ['The run took 2 1/2 hours.', 'The run took 2.5 hours.'],
    ['The run took 1½ hours.', 'The run took 1.5 hours.'],
    ['The run took 1 ½ hours.', 'The run took 1.5 hours.'],
    ['The run took two and a half hours.', 'The run took 2 1/2 hours.'],
    ['The run took 2 and a half hours.', 'The run took 2.5 hours.'],
    ['The run took two and three quarters hours.', 'The run took 2.75 hours.'],
    ['The run took 1/2 hour.', 'The run took half an hour.'],
    ['Der Lauf dauerte zweieinhalb Stunden.', 'Der Lauf dauerte 2,5 Stunden.'],
    ['Der Lauf dauerte 2½ Stunden.', 'Der Lauf dauerte zweieinhalb Stunden.'],
    ['La carrera duró dos horas y media.', 'La carrera duró 2,5 horas.'],
    ['Costó dos millones y medio de euros.', 'Costó 2,5 millones de euros.'],
    ['比赛用了两个半小时。', '比赛用了2.5小时。'],
    ['比赛用了三年半。', '比赛用了3.5年。'],
    ['The train does 50 km per hour.', 'The train does 50 km/h.'],
    ['The train does 50 km/h.', 'The train does 50 km per hour.'],
    ['The train does 50 km an hour.', 'The train does 50 km/h.'],
    ['The train does 50 mph.', 'The train does 50 miles per hour.'],
    ['The plan costs $5 per user.', 'The plan costs $5/user.'],
    ['Das Abo kostet 5 € pro Monat.', 'Das Abo kostet 5 €/Monat.'],
    ['Das Abo kostet 5 € pro Monat.', 'Das Abo kostet 5 Euro monatlich.'],
    ['Das Abo kostet 5 € im Monat.', 'Das Abo kostet 5 € pro Monat.'],
    ['Das Abo kostet 5 € pro Nutzer.', 'Das Abo kostet 5 € je Nutzer.'],
    ['The plan costs 5 €/month.', 'The plan costs 5 € per month.'],
    ['The plan costs 5 €/month.', 'The plan costs 5 € a month.'],
    ['El tren va a 50 km por hora.', 'El tren va a 50 km/h.'],
    ['El plan cuesta 5 euros al mes.', 'El plan cuesta 5 euros/mes.'],
    ['Pagó 500 euros por la bicicleta.', 'Pagó 500 euros.'],
    ['火车每小时50公里。', '火车50公里/小时。'],
    ['门票每人50元。', '门票50元/人。'],
    ['She visited him once.', 'She visited him one time.'],
    ['She visits him once a week.', 'She visits him once a week.'],
    ['She called once the report was done.', 'She called once the report was done.'],
    ['Tiene once hijos y vive en el campo.', 'Tiene 11 hijos y vive en el campo.'],
    ['It was minus 5 degrees.', 'It was -5 degrees.'],
    ['It was −5 °C.', 'It was minus 5 °C.'],
    ['It was 5 degrees below zero.', 'It was minus 5 degrees.'],
    ['It was minus five degrees.', 'It was -5 degrees.'],
    ['Es waren minus 5 Grad.', 'Es waren 5 Grad unter null.'],
    ['Había menos 5 grados en la calle.', 'Había -5 grados en la calle.'],
    ['Había 5 grados bajo cero en la calle.', 'Había -5 grados en la calle.'],
    ['Había al menos 5 grados en la calle.', 'Había al menos 5 grados en la calle.'],
    ['昨天零下5度。', '昨天-5度。'],
    ['昨天零下五度。', '昨天-5度。'],
    ['昨天零下5摄氏度。', '昨天-5°C。'],
    ['Das Projekt kostet zwei Mio. Euro.', 'Das Projekt kostet 2 Millionen Euro.'],
    ['Das Projekt kostet 2 Millionen Euro.', 'Das Projekt kostet 2 Mio. Euro.'],
    ['Das Projekt kostet 2 Tsd. Euro.', 'Das Projekt kostet 2.000 Euro.'],
    ['El proyecto cuesta 2 mill. de euros.', 'El proyecto cuesta 2 millones de euros.'],
    ['The project costs 2 mn euros.', 'The project costs 2 million euros.'],
    ['The project costs $2 bn.', 'The project costs 2 billion dollars.'],
    ['The project costs $5k.', 'The project costs 5,000 dollars.'],
    ['The project costs 5 k euros.', 'The project costs 5,000 euros.'],
    ['这个项目花了2亿元。', '这个项目花了两亿元。'],
    ['这个项目花了2万元。', '这个项目花了20000元。'],
    ['这个项目花了2万5千元。', '这个项目花了25000元。'],
    ['这个项目花了5千元。', '这个项目花了5000元。'],
  ])('%s supports %s', (text, claim) => {
    expect(outcome(text, claim)).toBe('AsWorded');
  });

  test.each([
    ['The run took 2 1/2 hours.', 'The run took 2 hours.'],
    ['The run took 2 1/2 hours.', 'The run took 1 hour.'],
    ['The run took 1½ hours.', 'The run took 1 hour.'],
    ['The run took two and a half hours.', 'The run took 2 hours.'],
    ['The run took 1/2 hour.', 'The run took 2 hours.'],
    ['Der Lauf dauerte zweieinhalb Stunden.', 'Der Lauf dauerte 2 Stunden.'],
    ['La carrera duró dos horas y media.', 'La carrera duró 2 horas.'],
    ['Costó dos millones y medio de euros.', 'Costó 2 millones de euros.'],
    ['比赛用了两个半小时。', '比赛用了2小时。'],
    ['The train does 50 km per hour.', 'The train does 50 km.'],
    ['The train does 50 km/h.', 'The train does 50 km.'],
    ['The train does 50 km.', 'The train does 50 km/h.'],
    ['The train does 50 km per hour.', 'The train does 50 km per day.'],
    ['The plan costs $5 per user.', 'The plan costs $5.'],
    ['The plan costs $5 per user.', 'The plan costs $5 per team.'],
    ['Das Abo kostet 5 € pro Monat.', 'Das Abo kostet 5 €.'],
    ['The plan costs 5 €/month.', 'The plan costs 5 €.'],
    ['The plan costs 5 €/month.', 'The plan costs 5 € per year.'],
    ['El tren va a 50 km por hora.', 'El tren va a 50 km.'],
    ['El plan cuesta 5 euros al mes.', 'El plan cuesta 5 euros.'],
    ['火车每小时50公里。', '火车50公里。'],
    ['门票每人50元。', '门票50元。'],
    ['房租每月3000元。', '房租3000元。'],
    ['The server handles 10 requests per second.', 'The server handles 10 requests.'],
    ['The server handles 10 requests per second.', 'The server handles 10 requests per minute.'],
    ['She visited him once.', 'She visited him 11 times.'],
    ['She visits him once a week.', 'She visits him twice a week.'],
    ['She visits him twice a week.', 'She visits him once a week.'],
    ['It was minus 5 degrees.', 'It was 5 degrees.'],
    ['It was 5 degrees.', 'It was minus 5 degrees.'],
    ['It was -5 °C.', 'It was 5 °C.'],
    ['It was 5 degrees below zero.', 'It was 5 degrees.'],
    ['Es waren minus 5 Grad.', 'Es waren 5 Grad.'],
    ['Había menos 5 grados en la calle.', 'Había 5 grados en la calle.'],
    ['昨天零下5度。', '昨天5度。'],
    ['Das Projekt kostet zwei Mio. Euro.', 'Das Projekt kostet 2 Millionen Dollar.'],
    ['Das Projekt kostet 2 Mrd. Euro.', 'Das Projekt kostet 2 Mio. Euro.'],
    ['The project costs $2bn.', 'The project costs $2 million.'],
    ['这个项目花了2万元。', '这个项目花了2亿元。'],
  ])('%s does not support %s', (text, claim) => {
    expect(outcome(text, claim)).toBe('Replaced');
  });
});

describe('a claim in other words', () => {
  test.each([
    ['several words that mean the same as one', 'Entry is free.', 'Entry costs nothing.'],
    ['a word with two sets of synonyms', 'Company sales doubled.', 'Company revenue doubled.'],
    ['a noun turned into a verb', 'Ann: I object to the date.', 'Ann objected to the date.'],
    ['the dimension of a number', 'A route of 12 km.', 'The route is 12 km long.'],
    ['a prohibition', 'Entering the hall is prohibited.', 'You must not enter the hall.'],
    ['a question', 'Thea: Kann mir jemand helfen?', 'Thea fragte, ob jemand helfen könne.'],
    ['a redundant particle', 'Ten hectares burned.', 'Ten hectares burned down.'],
    ['a subject after the verb', 'Greta: El jarrón lo rompí yo.', 'Greta rompió el jarrón.'],
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
    ['another actor', '博物馆向白家借了一幅版画。', '白家向博物馆借了一幅版画。'],
    ['the actor of another clause', '李兰演露露，李娜负责提词。', '演露露的是李娜。'],
    [
      'a left-out verb of intention',
      'Ich überlege, den Garten zu verpachten.',
      'Malte verpachtet den Garten.',
    ],
    [
      'a left-out leading verb',
      'Estoy pensando en alquilar el huerto.',
      'Gorka alquila el huerto.',
    ],
    ['a left-out day', 'The room is wiped every Sunday night.', 'The room is wiped every night.'],
    ['the opposite by a prefix', 'Die Rechnung ist unbezahlt.', 'Die Rechnung ist bezahlt.'],
    [
      'a negation inside a compound',
      'There is no no-poaching clause.',
      'There is a no-poaching clause.',
    ],
    [
      'a left-out negation of a prohibition',
      'Smoking is not prohibited here.',
      'Smoking is prohibited here.',
    ],
  ])('is replaced by its source with %s', (_, text, claim) => {
    const speaker = /Malte|Gorka/u.exec(claim)?.[0];
    expect(outcome(text, claim, speaker)).toBe('Replaced');
  });

  test('is replaced if it gives the speaker what another person has', () => {
    const text = "I can't eat shellfish, and my brother is allergic to peanuts.";
    const claim = "Hannah is allergic to peanuts and her brother can't eat shellfish.";
    expect(outcome(text, claim, 'Hannah')).toBe('Replaced');
  });

  test('is replaced if the payer is in the previous clause', () => {
    const text = 'OK so Greg books and pays the hotel, I take the rental car.';
    const claim = 'Maya pays for the hotel and Greg for the rental car.';
    expect(outcome(text, claim, 'Maya')).toBe('Replaced');
  });
});

describe('a quote with words left out', () => {
  test.each([
    ['Do I live in Oslo?', 'I live in Oslo.'],
    ['I live in Oslo?', 'I live in Oslo.'],
    ['¿Vivo en Oslo?', 'Vivo en Oslo.'],
    ['Tom is the owner of billing, right?', 'Tom is the owner of billing.'],
    ['I used to work at Siemens.', 'I work at Siemens.'],
    ['I eat everything except fish.', 'I eat everything.'],
    ['I am a non-smoker.', 'I am a smoker.'],
    ['Ich esse alles außer Fisch.', 'Ich esse alles.'],
    ["Je n'habite pas à Paris.", "J'habite à Paris."],
    ['Non mangio carne.', 'Mangio carne.'],
    ['Ik eet geen vlees.', 'Ik eet vlees.'],
    ['Я не ем мясо.', 'Я ем мясо.'],
    ['私は肉を食べません。', '私は肉を食べます。'],
  ])('of %j is replaced by it: %j', (text, claim) => {
    expect(outcome(text, claim)).not.toBe('AsWorded');
  });

  test.each([
    ['Well, the place in Berlin is finally ours, so goodbye.', 'The place in Berlin is ours.'],
    ["Enfin, je n'habite pas à Paris.", "Je n'habite pas à Paris."],
    ['Do I live in Oslo?', 'Do I live in Oslo?'],
  ])('of %j stays if it says the same: %j', (text, claim) => {
    expect(outcome(text, claim)).toBe('AsWorded');
  });
});
