import { expect, test } from 'vitest';
import { givesAnotherValue, readValues } from '#core/extraction/newer-value.ts';

/** The newer sentence gives another value to what the older one does. */
const REPLACED: readonly (readonly [older: string, newer: string])[] = [
  ['I drive a Honda Civic, the silver one.', 'I drive a Mazda 3'],
  ['My favorite tea is sencha.', 'btw my favorite tea is genmaicha, with honey'],
  ['Priya is the tech lead on Atlas.', 'Marcus is the tech lead on Atlas.'],
  ['The tech lead on Atlas is Priya.', 'Marcus is the tech lead on Atlas.'],
  ['Tom is our project lead', 'Lea took over as project lead'],
  ['Tom is our project lead', 'Lea has taken over as our project lead.'],
  ['Our head of sales is Tom.', 'Lea is taking over as head of sales.'],
  ['Tom is our project lead', 'Lea is now our project lead'],
  ['Tom ist unser Projektleiter.', 'Lea ist jetzt unsere Projektleiterin.'],
  ['Tom ist unser Projektleiter.', 'Lea hat als Projektleiterin übernommen.'],
  ['Tomás es nuestro director de ventas.', 'Lucía asumió como directora de ventas.'],
  ['Piano lessons are Tuesdays at four.', 'Piano lessons are Thursdays at half five.'],
  ["I'm taking chemistry as my elective.", 'My elective is medieval history.'],
  ['The wifi at home is called pinecone', 'the wifi at home is called thelongnap'],
  ['The deadline is 2026-03-01.', 'Deadline moved to 2026-03-14.'],
  ['The budget is 400 euros.', 'The budget was raised to 500 euros.'],
  ['Retries: 3', 'Retries: 5'],
  ['interface language: English', 'interface language: Spanish'],
  ['I weigh 82 kilos.', 'I weigh 76 kilos.'],
  ['Mein Wecker steht auf 6:10.', 'Mein Wecker steht auf 5:45, grausam.'],
  ['Wir sind 14 Leute in der Firma.', 'In der Firma sind wir 22 Leute, Azubis mitgezählt.'],
  ['Ich bin im Team Logistik.', 'Ich bin im Team Einkauf, bei Frau Reuter.'],
  ['Ich lese gerade Momo.', 'Ich lese gerade Krabat.'],
  ['Estoy leyendo Rayuela.', 'Estoy leyendo La Regenta.'],
  ['Mi médico de cabecera es el doctor Gil.', 'Mi médica de cabecera es la doctora Sanz.'],
  ['Cobro 1.450 euros netos.', 'Cobro 1.620 euros netos al mes.'],
  ['我在客服组。', '我在运营组，工位靠窗。'],
  ['我的手机铃声是《晴天》', '手机铃声是《稻香》'],
  ['楼下牛肉面一碗15块。', '楼下的牛肉面18块一碗，加蛋另算'],
];

/** Both may hold, or the newer one says nothing of the older. */
const BOTH: readonly (readonly [older: string, newer: string])[] = [
  ['I have a cat, Tom.', 'I have a dog, Ben.'],
  ['I like sushi.', 'I like ramen.'],
  ['I speak French.', 'I speak German.'],
  ['My brother drives a Honda.', 'I drive a Mazda.'],
  ['Staging listens on port 8080.', 'Production listens on port 9090.'],
  ['I drive a Honda Civic.', 'I drive a Honda.'],
  ['The meeting is on Tuesday at ten.', 'The meeting is on Tuesday.'],
  ['My flight is at nine.', 'The meeting moved to ten.'],
  ['The budget is 400 euros.', 'The deadline was moved to March 14.'],
  ['She is 30.', 'She moved to 12 Elm Street.'],
  ['The rent is 900 euros.', 'The heating is set to 21 degrees.'],
  ['My car is a Honda.', 'My car is red.'],
  ['I live in Porto.', 'I live with my parents.'],
  ['I live in Porto.', 'I am staying in Rome.'],
  ['Ich lese gerade Momo.', 'Ich lese gern Krimis.'],
  ['I live in Porto.', 'I live on Elm Street 4.'],
  ['I work as a nurse.', 'I work for Nokia.'],
  ['I drive a Honda.', 'I might drive a Mazda next.'],
  ['I drive a Honda.', 'Tom said "I drive a Mazda".'],
  ['I drive a Honda.', 'I also drive a Mazda.'],
  ['I weigh 82 kilos.', 'As a student I weighed 70 kilos.'],
  ['I have a call with Bob on Monday.', 'I have a call with Bob on Thursday.'],
  ['We are in Berlin on Monday.', 'We are in Berlin on Thursday.'],
  ['Lunch was 12 euros.', 'Lunch was 15 euros.'],
  ['Ann is my best friend.', 'Eva is my best friend.'],
  ['Tom is our project lead', 'Lea took over as tech lead'],
  ['Änderung: ich wohne in Bonn.', 'Änderung: die Pizza ist da.'],
  ['Tom is our project lead', 'Lea took over the project lead’s desk'],
  ['Ann is our neighbor', 'Eva took over as neighbor'],
  ['My wife is Spanish.', 'My wife is Ana.'],
  ['Mike: yes', 'Mike: no way, not again'],
  ['Project Manager: Okay.', 'Project Manager: Yeah.'],
  ['user: yes', 'user: sure thing'],
  ['Ann Lee: 3 pm', 'Ann Lee: 5 pm'],
  ['shopping list: milk', 'shopping list: eggs'],
  ['Mi cumple es el 8 de marzo.', 'El cumple de mi hermano es el 9 de marzo.'],
  ['Drucker im Erdgeschoss: HP', 'Drucker im 1. Stock: Brother'],
  ['我大女儿上初二。', '我小女儿上幼儿园大班。'],
  ['我早上跑步。', '我晚上练瑜伽。'],
];

test.each(REPLACED)('%j is replaced by %j', (older, newer) => {
  expect(givesAnotherValue(readValues(older), readValues(newer))).toBe(true);
});

test.each(BOTH)('%j stays beside %j', (older, newer) => {
  expect(givesAnotherValue(readValues(older), readValues(newer))).toBe(false);
});
