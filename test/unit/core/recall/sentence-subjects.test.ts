import { expect, test, describe } from 'vitest';
import { mayHaveOneSubject } from '#core/recall/outdated/sentence-subjects.ts';
import { isMarked } from './is-marked.ts';

test.each([
  ['The launch is on May 4.', 'The launch was moved to June 9.'],
  ['The dinner with Tom is on Friday.', 'The dinner was moved to Saturday.'],
  ['The launch is on May 4.', 'I moved the launch to June 9.'],
  ['I live in Lyon.', 'We moved to Berlin.'],
  ['The class is at six.', 'The class moved to seven now, the hall is also colder.'],
  ['It fires at 90 seconds of lag.', 'So the rule now waits for four minutes of lag.'],
])('a newer text may have the same subject as the older: %s ← %s', (older, newer) => {
  expect(mayHaveOneSubject(older, newer)).toBe(true);
});

test.each([
  ['The launch of checkout is on May 4.', 'The launch of billing was moved to June 9.'],
  ['The dinner with Tom is on Friday.', 'The lunch with Tom was moved to Monday.'],
  ['Team A meets in room 4.', 'Team B now meets in room 7 instead.'],
  ['My daughter lives in Lyon.', 'I moved from Lyon to Berlin.'],
  ['I live in Lyon.', 'My daughter moved from Lyon to Berlin.'],
  ['I use Vim for Python.', 'My colleague switched from Vim to Zed.'],
  ['We use Slack.', 'The design team switched from Slack to Teams.'],
  ['I speak French.', 'I now speak Spanish too.'],
  ['The budget is 50,000.', 'The travel budget was cut to 4,000.'],
  ['My birthday is on June 4.', 'I moved my birthday party to June 12.'],
  ['Ann lives in Porto.', "Ann's mother moved to Braga."],
  ['Mein Termin beim Zahnarzt ist am 4. Mai.', 'Mein Termin beim Chirurgen wurde verschoben.'],
  ['Mi cita con el dentista es el 4 de mayo.', 'Mi cita con el cirujano se pasó al 9 de junio.'],
  ['我的牙医预约在5月4日。', '我的外科预约改到6月9日了。'],
])('a newer text has another subject or is an addition: %s ← %s', (older, newer) => {
  expect(mayHaveOneSubject(older, newer)).toBe(false);
});

describe('another thing of the same sort', () => {
  test.each([
    ['My car insurance is with Allianz.', 'I switched my health insurance to AOK.'],
    ['Mi seguro del coche es de Mapfre.', 'Cambié el seguro de la casa a Axa.'],
    ['Mi tarjeta de crédito es una Visa.', 'Cambié la tarjeta de débito a Mastercard.'],
    ['My credit card is a Visa.', 'I changed my debit card to a Mastercard.'],
    ['My summer tires are from Michelin.', 'I changed the winter tires to Continental.'],
    ['I have a savings account at ING.', 'I moved my checking account to DKB.'],
    ['My team meets on Mondays at 9.', 'The other team meets on Tuesdays at 10 now.'],
    ['My book club meets on Thursdays.', 'The other book club meets on Fridays now.'],
    ['My sister Amina works at Siemens.', 'My other sister works at Audi now.'],
    ['Mein Team trifft sich montags um 9.', 'Das andere Team trifft sich jetzt dienstags um 10.'],
    ['Mi equipo se reúne los lunes a las 9.', 'El otro equipo se reúne ahora los martes a las 10.'],
    ['我们组周一开会。', '另一个组现在改到周二开会。'],
    ['Trabajo en Zara.', 'Ahora tengo un segundo trabajo en Lidl.'],
    ['My password manager is Bitwarden.', 'At work we switched to 1Password.'],
  ])('leaves "%s" after "%s"', (older, newer) => {
    expect(isMarked(older, newer)).toBe(false);
  });
});

describe('a word that two texts share by chance', () => {
  test.each([
    // A part of an address.
    [
      'Acme limits every endpoint to 100 requests per minute.',
      'The database moved to db2.acme.test:54.',
    ],
    [
      'Orders keep their receipts for 10 years.',
      'The inbox is now help@orders.example.com, port 993.',
    ],
    // The kind of another thing.
    ['The shop API returns money as Euro cents.', 'The shop team moved from Postgres to MySQL.'],
    ['Every invoice email greets the Customer by name.', 'The invoice archive moved to Dropbox.'],
    // A day is no other name.
    [
      'Branch names start with the Jira ticket, such as SHOP-123.',
      'The release branch is cut every Friday from now on.',
    ],
  ])('leaves "%s" after "%s"', (older, newer) => {
    expect(isMarked(older, newer)).toBe(false);
  });
});

describe('things that a number names', () => {
  test.each([
    ['The printer in room 105 is jammed again.', 'The printer in room 145 is jammed again.'],
    ['The lamp on floor 2 is broken.', 'The lamp on floor 3 is broken now.'],
    ['Der Drucker in Raum 12 ist kaputt.', 'Der Drucker in Raum 14 ist jetzt kaputt.'],
    ['La impresora de la sala 3 está rota.', 'La impresora de la sala 4 está rota ahora.'],
  ])('leaves "%s" after "%s"', (older, newer) => {
    expect(isMarked(older, newer)).toBe(false);
  });

  test.each([
    ['The standup is in room 3.', 'The standup is now in room 5.'],
    ['My flight at 9 is booked.', 'My flight at 10 is booked now.'],
    ['The printer in room 105 is free.', 'The printer in room 105 is in use now.'],
  ])('marks "%s" after "%s"', (older, newer) => {
    expect(isMarked(older, newer)).toBe(true);
  });
});

describe('the same thing', () => {
  test.each([
    ['The shop team uses Postgres.', 'The shop team moved from Postgres to MySQL.'],
    ['My car insurance is with Allianz.', 'I switched my car insurance to AOK.'],
    ['My car insurance is with Allianz.', 'I switched the insurance to AOK.'],
    ['My old insurance is with Allianz.', 'I switched my car insurance to AOK.'],
    ['Mi tarjeta es una Visa.', 'Cambié la tarjeta de débito a Mastercard.'],
    ['My credit card is a Visa.', 'I changed my credit card to a Mastercard.'],
    ['My team meets on Mondays at 9.', 'The team meets on Tuesdays at 10 now.'],
    ['We use Jira.', 'At work we switched to Linear.'],
    ['My gym costs 30 euros.', 'I switched to the other gym, it costs 20 euros now.'],
  ])('marks "%s" after "%s"', (older, newer) => {
    expect(isMarked(older, newer)).toBe(true);
  });
});
