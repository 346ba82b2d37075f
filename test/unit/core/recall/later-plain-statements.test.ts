/** What later sentences end of plain statements, whose words follow no rule of a topic. */
import { describe, expect, test } from 'vitest';
import { endingBy } from '../extraction/ending-by.ts';
import { isMarked } from './is-marked.ts';

describe('a later sentence marks a plain statement that it changes', () => {
  test.each([
    // A clause beside others, and one before a question.
    ["We're off to Lisbon, my flight is on May 12.", 'They moved my flight to the 14th.'],
    ['I drive a Skoda Octavia, is a new belt worth it?', 'We sold the Skoda.'],
    ['I take 40 mg of atorvastatin.', 'The doctor raised my atorvastatin to 80 mg, is that ok?'],
    // Who has a role.
    ['Mein Trainer heißt Herr Kranz.', 'Herr Kranz hat aufgehört, jetzt ist es Frau Lotz.'],
    ['our tutor is called Amir', 'Amir left, we have Dr. Okoye now'],
    ['mi socio es Camilo, él pone la plata', 'Camilo se salió del negocio'],
    ['我的主治医生是刘主任，每周三坐诊', '刘主任退休了，现在看张医生'],
    ['老板叫王磊，要求特别高', '王磊调走了，现在的老板是李静'],
    // What is named without an article, and what is of something.
    ['Our standup is at 9:15 every day', 'Standup moved to 10'],
    ['Ich spiele jeden Mittwoch Bridge mit den Nachbarn.', 'Bridge ist jetzt donnerstags.'],
    ['el permiso de la alcaldía vence el 30 de junio', 'renovaron el permiso hasta octubre'],
    ['房租每个月4500', '房东把房租涨到5000了'],
    ['预产期是12月20号', '预产期医生改成12月12号了'],
    // Counts, measures and versions.
    ['Wir haben 74 Kinder und 14 Erzieherinnen', 'Inzwischen haben wir 81 Kinder im Haus'],
    ['We have 12 vans and one truck.', 'We now have 15 vans in the yard.'],
    ['Our choir has 22 singers.', 'We have 26 singers now.'],
    ["I'm 43, 92 kg and 1.80 tall", 'I dropped to 88 kg'],
    ['unsere datenbank ist postgres 14', 'wir sind auf postgres 16 umgestiegen'],
    ['pagamos 850 de alquiler, es una locura', 'nos suben el alquiler a 920 euros'],
    [
      'Das Budget fürs Fest sind 800 Euro',
      'Man hat das Budget gekürzt, wir haben nur noch 600 Euro',
    ],
    // Another choice.
    ['Our supplier is Kerax', "Kerax let us down, so we've moved over to Cargill"],
    ['honeymoon is in Vietnam', "we changed our minds about Vietnam, we're off to Japan"],
    ['Ich nehme Ramipril 5 mg', 'Der Arzt hat mir statt Ramipril jetzt Candesartan verschrieben.'],
    ['no como carne', 'He vuelto a comer pescado'],
    ['我下个月开始学西班牙语', '西班牙语放弃了，没时间'],
    // A person whom the older sentence relates to its speaker.
    ['My sister Ana lives in Porto.', 'Ana moved to Berlin.'],
    ['mi hijo Álvaro vive en Dublín', 'Álvaro se ha mudado a Berlín'],
    ['mi hija Valentina tiene 7 años', 'Valentina cumplió 8 el domingo'],
  ])('%s ← %s', (older, newer) => {
    expect(isMarked(older, newer)).toBe(true);
  });
});

describe('a later sentence leaves a plain statement that it does not change', () => {
  test.each([
    ['Our cat is called Luna.', 'Luna left a mess, my aunt is called Ruth.'],
    ['My sister Ana lives in Porto.', 'Ben moved to Berlin.'],
    ['My sister Ana lives in Porto.', 'Ana now works at Bosch.'],
    ['Fiona is my boss.', 'Fiona moved to 12 Elm Street.'],
    ['We have 12 vans and one truck.', 'My sister now has 15 vans.'],
    ['My sister has two kids.', 'We have three kids now.'],
    ['We run Postgres 14.', 'The docs of Postgres 16 are good.'],
    ['I drive a Skoda Octavia, is a new belt worth it?', 'Should we sell the Skoda?'],
    ['The price of milk is 2 euros.', 'We moved the party to May 4.'],
    ['Mein Bruder heißt Tom.', 'Tom ist weg, übers Wochenende.'],
  ])('%s ← %s', (older, newer) => {
    expect(isMarked(older, newer)).toBe(false);
  });
});

test('a sentence with a reason: what is not ended in it still holds', () => {
  expect(endingBy('I have a dog, that’s why I play tennis at dawn.', 'I quit tennis.')).toBe(
    'Some',
  );
});
