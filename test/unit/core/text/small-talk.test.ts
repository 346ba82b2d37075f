import { expect, test } from 'vitest';
import { saysNothing } from '#core/text/small-talk.ts';
import { namesHealthRisk } from '#core/text/health-risks.ts';

test.each([
  [
    'evening! :)',
    'thx lol.',
    'ok, thanks a lot',
    "You're welcome!",
    'Have a nice weekend!',
    'See you next week!',
  ],
  ['Guten Morgen!', 'ja genau', 'Alles klar, danke dir 😊', 'tschüss', 'naja', 'Bis Montag!'],
  [
    'hola',
    'Muchas gracias.',
    '¡Qué bien!',
    'jajaja vale',
    'Hasta el lunes.',
    '¿En qué puedo ayudarte?',
  ],
  ['你好，有什么可以帮你的吗？', '好的，谢谢！', '嗯嗯', '晚安', '下周见', '没问题'],
  ['😀', '1.', '…', '', 'Merci !'],
])('a courtesy has no content: %s', (...courtesies) => {
  expect(courtesies.filter((each) => !saysNothing(each))).toEqual([]);
});

test.each([
  [
    '76.2 kg',
    '5527',
    '5 €',
    'no nuts',
    'Yes, on Friday',
    'I see you on May 4',
    'Congratulations on Pixel!',
    'Mia',
  ],
  [
    'Nein, ich wohne in Köln',
    'Ja, Anna',
    'Danke für den Tesla',
    'Bis Montag fertig',
    'Gute Besserung, Bruno.',
  ],
  ['Sí, en mayo', 'Si llueve, no', 'Claro que no vivo en Vigo', 'Nala'],
  ['对猫过敏', '好车', '我不行', '不在上海'],
])('a statement is not a courtesy: %s', (...statements) => {
  expect(statements.filter(saysNothing)).toEqual([]);
});

test.each([
  ["I'm allergic to shellfish", 'He is diabetic', 'she has a nut allergy'],
  ['Ich vertrage keine Nüsse', 'Nussallergie', 'Laktoseintoleranz', 'Ich bin schwanger'],
  ['Soy alérgica a la penicilina', 'Tengo asma', 'Mi hija es celíaca'],
  ['我对花生过敏', '我有哮喘'],
])('a health risk is recognized: %s', (...told) => {
  expect(told.filter((each) => !namesHealthRisk(each))).toEqual([]);
});

test('a harmless sentence is not taken for a health risk', () => {
  const told = ['The allegro is fast', 'Der Vertrag kaum', 'Asmara is a city', '我喜欢花生'];
  expect(told.filter(namesHealthRisk)).toEqual([]);
});
