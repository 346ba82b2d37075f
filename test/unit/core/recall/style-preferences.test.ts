/** How somebody wants texts written, and the questions that ask for it in other words. */
import { describe, expect, test } from 'vitest';
import {
  ASPECT_BITS,
  STANDING_BIT,
  styleAsked,
  styleSettled,
} from '#core/recall/question/style-preferences.ts';

/** By aspect: what somebody said in passing, and what is asked weeks later. */
const SETTLED = [
  ['words', 'Please, no "reach out" and no "circle back".', 'Which phrases do I refuse?'],
  ['words', 'Schreib bitte nie „zeitnah“.', 'Welche Wörter sind tabu?'],
  ['words', 'Nada de «estimados todos».', '¿Qué expresiones no soporto?'],
  ['words', '别写"亲爱的家人们"。', '哪些词不能出现？'],
  ['words', 'No slang and no acronyms in my mails.', 'What should I leave out of the memo?'],
  ['words', 'Bitte keine Fremdwörter.', 'Was soll man im Aushang weglassen?'],
  ['words', 'Sin anglicismos, por favor.', '¿Qué hay que dejar fuera del aviso?'],
  ['words', '别用网络用语。', '通知里不能出现什么？'],
  ['address', 'Sign it off with "Cheers, Moira", always.', 'What greeting closes my notes?'],
  ['address', 'Unsere Kunden duzen wir nicht.', 'Welche Anrede passt?'],
  ['address', 'A los vecinos trátalos de usted.', '¿Cómo me dirijo a los vecinos?'],
  ['length', 'Just keep it short, I read on the bus.', 'How long may the reply be?'],
  ['length', 'Höchstens drei Sätze, bitte.', 'Wie ausführlich darf die Auskunft sein?'],
  ['order', 'Give me the verdict up top.', 'What comes first in the memo?'],
  ['order', '先说结论，再说理由。', '回答按什么顺序？'],
  ['order', '先给答案，后面再解释。', '回信的第一句写什么？'],
  ['order', 'Bitte zuerst das Ergebnis, dann die Gründe.', 'Was steht im ersten Satz der Antwort?'],
  ['order', 'Always put the price first.', 'What belongs in the opening line?'],
  ['order', 'Siempre primero la fecha, después el resto.', '¿Qué va en la primera línea?'],
  ['language', 'For Nana, write in Italian.', 'Which language is the card in?'],
  ['language', 'Para mi suegro, todo en catalán, no en castellano.', '¿En qué lengua va la nota?'],
  ['figures', 'I think in miles, not in kilometers.', 'How will the distances be shown?'],
  ['figures', 'Dame las presiones en PSI, los bares no.', '¿En qué unidad va la presión?'],
  ['tone', 'Tell me straight, I can take it.', 'What tone suits the critique?'],
  ['layout', 'No tables, my phone breaks them.', 'How is the plan laid out?'],
  ['layout', 'Bitte keine Ausrufezeichen.', 'Wie soll der Aushang aussehen?'],
  ['code', 'Tabs, not spaces, in this repo.', 'How does a newcomer indent?'],
  ['untouched', "Don't touch the part numbers.", 'What must be left alone?'],
] as const;

const STANDING = [
  'When you write to the parents, mention the bus.',
  'Wenn du mir ein Rezept aufschreibst, dann für vier.',
  'Una manía: las listas me las haces por personas.',
  '先立个规矩：型号一个字母都不许改。',
];

const TOLD_OTHERWISE = [
  'We drove to Lyon on Tuesday.',
  'Der Bus kam gestern zu spät.',
  'Mi hermana vive en Toledo.',
  '昨天去了超市。',
  // A question settles nothing.
  'Do you want no tables at all?',
  // A report on something else too.
  `No tables. ${'We talked about the garden. '.repeat(20)}`,
];

const ASKED_OTHERWISE = [
  'Who sent me the letter about the boiler?',
  'Wann habe ich die Fliesen bestellt?',
  '¿Dónde dejé la llave de la cabaña?',
  '我昨天在哪儿？',
];

describe('a wish about writing', () => {
  test.each(SETTLED)('on %s is about the aspect that is asked: %s %s', (_aspect, told, asked) => {
    expect(styleSettled(told) & styleAsked(asked) & ASPECT_BITS).not.toBe(0);
  });

  test.each(STANDING)('that holds from then on is a standing instruction: %s', (told) => {
    expect(styleSettled(told) & STANDING_BIT).toBe(STANDING_BIT);
  });

  test.each(TOLD_OTHERWISE)('is not found in: %s', (told) => {
    expect(styleSettled(told)).toBe(0);
  });

  test.each(ASKED_OTHERWISE)('is not asked for by: %s', (asked) => {
    expect(styleAsked(asked)).toBe(0);
  });
});
