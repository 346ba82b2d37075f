import { describe, expect, test } from 'vitest';
import type { Layer } from '#core/layer.ts';
import type { Trust } from '#core/trust.ts';
import { recallTerms } from '#core/recall/words/recall-terms.ts';
import {
  comparedFirst,
  outdatedMemories,
  type OutdatedMemories,
} from '#core/recall/outdated/outdated-memories.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';

const analyzer = createTextAnalyzer();

function memory(id: string, at: number, content: string, layer: Layer = 'project') {
  const trust = 'stated' as Trust;
  return { id, layer, trust, content, at, terms: () => new Set(recallTerms(analyzer, content)) };
}

function outdatedBy(older: string, newer: string): readonly string[] | undefined {
  return outdatedMemories([memory('newer', 2, newer), memory('older', 1, older)]).outdated.get(
    'older',
  );
}

describe('a memory is outdated by a newer one', () => {
  test.each([
    ['The launch is planned for November 17.', 'The launch moves from November 17 to December 1.'],
    ['The timeout of billing is 30 seconds.', 'The timeout of billing is 45 seconds.'],
    ['The launch of checkout is on November 17.', 'The launch of checkout is on December 1.'],
    ['The standup is on Mondays at 9:30.', 'The standup is now on Tuesdays at 9:30.'],
    ['The budget for ads is 4,000 euros.', 'The budget for ads was raised to 5,500 euros.'],
    ['I live in Porto.', 'I moved to Braga.'],
    ['Ann lives in Porto.', 'Ann moved from Porto to Braga.'],
    ['The user is vegetarian.', 'The user is no longer vegetarian.'],
    ['Das Treffen ist am 3. Mai in Bonn.', 'Das Treffen ist jetzt am 10. Mai in Bonn.'],
    ['La entrega es el 3 de mayo.', 'La entrega ahora es el 10 de mayo.'],
    ['发布会定在5月3日。', '发布会改到5月10日。'],
    ['The standup is on Mondays at 9:30.', 'The standup is on Tuesdays at 10.'],
    ['The shop is open from 9.', 'The shop is open from 10.'],
    ['The staging server listens on port 8080.', 'The staging server listens on port 9090.'],
    ['Priya owns the payments.', 'Tom owns the payments since Monday.'],
    [
      'Code owner of the checkout package is Lena.',
      'Omar took over the checkout package from Lena.',
    ],
    ['The maintainer of the search is Lena.', 'Omar is now the maintainer of the search.'],
    ['Für das Archiv ist Lena zuständig.', 'Omar hat das Archiv von Lena übernommen.'],
    ['我的手机号是13800001111。', '我换了手机号，现在是13900002222。'],
    ['我的邮箱是li@a.cn。', '我换邮箱了，新的是wang@b.cn。'],
    ['Das Teammeeting ist am Dienstag um 10 Uhr.', 'Das Teammeeting ist am Donnerstag um 9 Uhr.'],
    ['Ein Platz kostet 12 Euro im Monat.', 'Ein Platz kostet 15 Euro im Monat.'],
    ['La reunión es el martes a las 10.', 'La reunión es el jueves a las 9.'],
    ['La tienda abre a las 9.', 'La tienda abre a las 10.'],
    ['每周例会在星期二上午十点。', '每周例会在星期四上午九点。'],
    ['预算是五千欧元。', '预算是六千欧元。'],
    ['The timeout is 5 seconds.', 'The timeout is 15 seconds.'],
    ['The budget is €40.', 'The budget is 55 euros.'],
    ['The budget is 40,000 euros.', 'The budget is 1.5 million.'],
    ['Das Budget beträgt 4.000 Euro.', 'Das Budget beträgt 4 Mio. Euro.'],
    ['The deploy takes 15 minutes.', 'The deploy takes an hour.'],
    ['Our retention period is 30 days.', 'Our retention period is a year.'],
    ['The standup is at 9:30.', 'The standup is at half past eight.'],
    ['The standup is at ten.', 'The standup is at noon.'],
    ['I am 34 years old.', 'I am 35 years old.'],
    ['I weigh 82 kg.', 'I weigh 79 kg.'],
    ['My son is 8.', 'My son is nine.'],
    ['La reunión es a las diez.', 'La reunión es a las 9.'],
    ['The invoice costs 50 euros.', 'The invoice costs 150 euros.'],
    ['The rate is 1.5%.', 'The rate is 21.5%.'],
    ['The port is 80.', 'The port is 8080.'],
    ['The flat costs 900 euros.', 'The flat costs 1,900 euros.'],
    ['Der Kurs kostet 5 Euro.', 'Der Kurs kostet 15 Euro.'],
    ['预算是五千欧元。', '预算是十五千欧元。'],
    ['预算是5元。', '预算是15元。'],
    ['My gym is FitLife.', 'My gym is PowerHouse.'],
    ['The database is PostgreSQL.', 'The database is now MySQL 8.'],
    ['Our CEO is Jane Doe.', 'Our CEO is John Smith.'],
    ['My email is ann.lee@mail.org.', 'My email is ann@post.org.'],
    ['My flight number is BA123.', 'My flight number is BA456.'],
    ['The server is in Frankfurt.', 'The server is in Dublin.'],
    ['Checkout is owned by Team Red.', 'Checkout is owned by Team Blue.'],
    ['Mi médico es el doctor Ruiz.', 'Mi médico es la doctora Gil.'],
    ['Unsere Datenbank ist MySQL.', 'Unsere Datenbank ist jetzt SQLite3.'],
    ['The team uses Python 3.9.', 'The team uses Python 3.12.'],
    ['The API key rotates every 30 days.', 'The API key rotates every 90 days.'],
    ['I prefer dark mode.', 'I prefer light mode.'],
    ['The user prefers short answers.', 'The user prefers long answers.'],
    ['The user is single.', 'The user is married.'],
    ['I work at a bank.', 'I started at Google last week.'],
    ['I work in a law firm.', 'I have joined a startup.'],
    ['Trabajo en un banco.', 'Empecé a trabajar en Zara.'],
    ['Ich arbeite in einer Bank.', 'Ich arbeite jetzt in einem Krankenhaus.'],
    ['我在银行工作。', '我上个月去了腾讯上班。'],
    ['My daughter is 7.', 'My daughter has just turned 8.'],
    ['Mi hija tiene 7 años.', 'Mi hija acaba de cumplir 8.'],
    ['Meine Tochter ist 7 Jahre alt.', 'Meine Tochter wurde 8.'],
    ['我女儿七岁。', '我女儿刚满八岁。'],
    ['Tom Reed is my manager.', 'Tom Reed left, Priya Shah is my manager since Monday.'],
    ['We build with Jenkins.', 'Jenkins is gone as well, builds run on GitHub Actions.'],
    ['I prefer window seats.', 'Aisle seats please, from now on.'],
    ['We have two kids.', 'Our third was born last week!'],
    ['Ich trinke meinen Kaffee schwarz.', 'Seit dem Urlaub kommt Hafermilch in meinen Kaffee.'],
    ['Voy en coche al trabajo.', 'Vendí el coche, al trabajo voy en metro.'],
    ['李伟是我的经理。', '李伟走了,现在王芳是我的经理。'],
  ])('%s → %s', (older, newer) => {
    expect(outdatedBy(older, newer)).toEqual(['newer']);
  });
});

describe('a memory still holds beside a newer one', () => {
  test.each([
    [
      'about what somebody else owns',
      'Code owner of the checkout package is Lena.',
      'Code owner of the search package is Omar.',
    ],
    [
      'about another thing that was taken over',
      'Code owner of the checkout package is Lena.',
      'Omar took over the search package from Lena.',
    ],
    [
      "about somebody else's number",
      '我的手机号是13800001111。',
      '他换了手机号，现在是13900002222。',
    ],
    ['about another use', 'The team uses GitHub for code.', 'The team now uses Linear for issues.'],
    [
      'about another part',
      'Our app uses MySQL as its database.',
      'Our app now uses Redis for caching.',
    ],
    [
      'about another use in Spanish',
      'El equipo usa Slack para el trabajo.',
      'El equipo ahora usa Discord para jugar.',
    ],
    ['about another thing', 'The launch is on December 1.', 'The offsite is now on December 9.'],
    ['without a word for a change', 'Ann has 2 cats.', 'Ann has 2 dogs.'],
    ['that adds the weekday', '例会在上午九点。', '例会在星期四上午九点。'],
    ['about another person present', 'This is Ann.', 'This is Bob.'],
    ['about another friend', 'My friend is Ann.', 'My friend is Bob.'],
    ['about a nationality', 'The director is Italian.', 'The director is Jane Doe.'],
    ['about an origin', 'My wife is Lena.', 'My wife is Spanish.'],
    ['that adds a noun', 'Mein Bruder ist Arzt.', 'Mein Bruder ist Vater.'],
    [
      'that names another part of the place',
      'The meeting is in Room 4.',
      'The meeting is on Floor 2.',
    ],
    ['about another preference', 'I like coffee.', 'I like tea.'],
    ['about another possession', 'We have a car.', 'We have a bike.'],
    ['about another event', 'I went by train.', 'I went by bus.'],
    ['in another unit', 'The warranty is two years.', 'The warranty is 200 euros.'],
    ['about a partial cost', 'The car costs 20,000 euros.', 'The car costs 300 euros a month.'],
    ['about another quantity', 'I am 34 years old.', 'I am 5 minutes late.'],
    ['about another child with a name', 'My daughter Mia is 7.', 'My daughter Lea is 9.'],
    ['about an errand', '我在银行工作。', '我去了公司上班。'],
    [
      'that repeats it with more detail',
      'The budget is 4,000 euros.',
      'The ad budget is 4,000 euros.',
    ],
    ['about another thing owned', 'Priya owns the payments.', 'Tom owns the search since Monday.'],
    ['that repeats it in part', 'The standup is on Mondays.', 'The standup is on Mondays at 9:30.'],
    ['that is uncertain', 'Das Treffen ist am 3. Mai.', 'Das Treffen ist vielleicht am 10. Mai.'],
    ['with a condition in Chinese', '例会在星期二。', '如果下雨例会在星期四。'],
    ['about another shop', 'La tienda abre a las 9.', 'La farmacia abre a las 10.'],
    ['about another person', 'Ann lives in Porto.', 'Bob moved from Porto to Braga.'],
    ['about another timeout', 'The timeout of A is 30 seconds.', 'The timeout of B is 45 seconds.'],
    ['with a condition', 'The limit is 30 calls.', 'The limit is 45 calls if the cache is warm.'],
    ['about another launch', 'The launch of A is on May 4.', 'The launch of B was moved to May 9.'],
    ['that is a guess', 'The launch is on May 4.', 'Perhaps the launch is now on May 9.'],
    ['about a short absence', 'Tom Reed is my manager.', 'Tom Reed left early for a recital.'],
    ['about a child of someone else', 'We have two kids.', "My sister's third was born last week."],
    [
      'about a habit of someone else',
      'Tomo el café con azúcar.',
      'Él toma café sin azúcar desde siempre.',
    ],
    ['without another value', 'Ann likes tea.', 'Ann now likes tea with milk.'],
    ['that repeats little of it', 'Rent is 900 euros a month since May.', 'The rent is new.'],
  ])('%s', (_, older, newer) => {
    expect(outdatedBy(older, newer)).toBeUndefined();
  });

  test('that was valid before it', () => {
    const memories = [
      memory('a', 2, 'The launch is on November 17.'),
      memory('b', 1, 'The launch moved from November 17 to December 1.'),
    ];
    expect(outdatedMemories(memories).outdated.has('a')).toBe(false);
  });
});

const NOVEMBER = 'The launch is on November 17.';
const DECEMBER = 'The launch is on December 1.';
const NOTHING = { outdated: new Map(), inPart: new Set(), newerElsewhere: new Map() };

function compared(
  [olderLayer, older]: readonly [Layer, string],
  [newerLayer, newer]: readonly [Layer, string],
  trust: Trust = 'stated',
): OutdatedMemories {
  return outdatedMemories([
    memory('older', 1, older, olderLayer),
    { ...memory('newer', 2, newer, newerLayer), trust },
  ]);
}

test('a memory that also says something else is outdated in part', () => {
  const older = memory('older', 1, 'I live in Lyon and I am allergic to nuts.');
  const { outdated, inPart } = outdatedMemories([older, memory('newer', 2, 'I moved to Nantes.')]);
  expect(outdated.get('older')).toEqual(['newer']);
  expect([...inPart]).toEqual(['older']);
});

describe('a memory in another layer', () => {
  const newer = new Map([['older', ['newer']]]);

  test.each<readonly [older: readonly [Layer, string], newer: readonly [Layer, string]]>([
    [
      ['team', NOVEMBER],
      ['project', DECEMBER],
    ],
    [
      ['company', 'We build with Jenkins.'],
      ['team', 'Jenkins is gone as well, builds run on GitHub Actions.'],
    ],
    [
      ['team', 'Das Treffen ist am 3. Mai in Bonn.'],
      ['project', 'Das Treffen ist jetzt am 10. Mai in Bonn.'],
    ],
    [
      ['user', 'I live in Porto.'],
      ['session', 'I moved to Braga.'],
    ],
  ])('%o is outdated by the newer %o', (...texts) => {
    expect(compared(...texts)).toEqual({ ...NOTHING, outdated: newer });
  });

  test('is named beside an older memory of a more specific layer', () => {
    expect(compared(['project', NOVEMBER], ['team', DECEMBER])).toEqual({
      ...NOTHING,
      newerElsewhere: newer,
    });
  });

  test.each<readonly [older: readonly [Layer, string], newer: readonly [Layer, string]]>([
    [
      ['team', 'I live in Porto.'],
      ['user', 'I moved to Braga.'],
    ],
    [
      ['agent', 'The user lives in Porto.'],
      ['user', 'The user lives in Braga.'],
    ],
    [
      ['team', 'Vivo en Sevilla.'],
      ['project', 'Ahora vivo en Cádiz.'],
    ],
  ])('%o still holds beside %o, which is about other people', (...texts) => {
    expect(compared(...texts)).toEqual(NOTHING);
  });

  test('is named beside a company memory that a member contradicts', () => {
    expect(compared(['company', NOVEMBER], ['user', DECEMBER])).toEqual({
      ...NOTHING,
      newerElsewhere: newer,
    });
  });

  test('replaces nothing in a broader layer if it is less trusted', () => {
    expect(compared(['team', NOVEMBER], ['user', DECEMBER], 'untrusted')).toEqual(NOTHING);
  });
});

test('an answer compares the first texts up to a length, and what is short behind a document', () => {
  const [document, large, short] = ['d'.repeat(1_001), 'l'.repeat(900), 'Dana moved to Berlin.'];
  const texts = [document, ...Array.from({ length: 30 }, () => large), short];
  const compared = comparedFirst(texts.map((content) => ({ content })));
  expect(compared.map(({ content }) => content)).toEqual([
    ...Array.from({ length: 11 }, () => large),
    short,
  ]);
});
