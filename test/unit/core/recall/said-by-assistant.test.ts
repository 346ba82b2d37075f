import { describe, expect, test } from 'vitest';

import { askedItem, placeOfItem } from '#core/recall/question/listed-item.ts';
import { asksWhatAssistantSaid } from '#core/recall/question/said-by-assistant.ts';

describe('a question for what the assistant said', () => {
  test.each([
    'What did you recommend for the scar?',
    'What was the creek by the campsite you picked for my overnight?',
    'How many tiles did your calculation come to?',
    'Which resistor did you work out for the divider?',
    'You named a charity that helps pensioners. Which?',
    'What was it you had me cook in place of spaghetti?',
    'Of the books to read aloud, what was number three?',
    'Welches Formular muss man laut dir ausfüllen?',
    'Was rätst du beim Messen an kräftigen Oberarmen?',
    'Was sollte ich nach Ihrem Rat gegen die Raupen nehmen?',
    'Welches Gerät hast du mir empfohlen?',
    '¿Cuánto tiempo había que dejarlo según tu receta?',
    '¿Qué colectivo lleva a la laguna, de la lista que me hiciste?',
    '¿Qué me recomendó para que la cubierta aguantara el calor?',
    '你挑给儿子的那几本书里，先买哪一本？',
    '按你的算法小唐应该拿多少？',
    'Quel livre était en tête de ta liste ?',
    'Was haben Sie mir gegen Motten geraten?',
    '¿Qué abono me aconsejó usted?',
    '¿Qué abono me has dicho que compre?',
    '您之前推荐我看哪本书？',
    'Welches Werkzeug hattest du mir empfohlen?',
    '¿Qué grosor me recomendaste?',
    '你让我再补办一样什么?',
    'Quel restaurant m’as-tu conseillé ?',
    'Tu m’as conseillé quoi contre les limaces ?',
    'Vous nous avez recommandé quel livre ?',
    'Quelle était ta suggestion ?',
    'What was your answer about the moths?',
  ])('is recognized: %s', (question) => {
    expect(asksWhatAssistantSaid(question)).toBe(true);
  });

  test.each([
    'Can you suggest something for us to watch tonight?',
    'What do you recommend for Sunday?',
    'What did I tell you about my sister?',
    'Which list did I send to the landlord?',
    'Hast du einen Roman für mich?',
    'Was habe ich dir über Nadim gesagt?',
    '¿Qué me recomendó mi tía?',
    '我跟你说过她的生日吗?',
    'What do I still have to do?',
    'Was haben sie mir geschenkt?',
    '¿Qué abono me aconsejó mi tía?',
    'Did I ever tell you how long it took?',
    'Was habe ich dir gesagt?',
    '¿Qué te dije de Silvina?',
    'Qu’est-ce que je t’ai dit de ma sœur ?',
    'Tu as une idée de ce que j’ai dit ?',
    'How should you format your answers to me?',
    'Wie lang sollen deine Antworten sein?',
    '¿Cómo quiero tus respuestas?',
  ])('is not one that asks for something else: %s', (question) => {
    expect(asksWhatAssistantSaid(question)).toBe(false);
  });
});

describe('an item of a list', () => {
  test.each([
    ['What was the fourth one called?', 4],
    ['What was number four on your list?', 4],
    ['You put eight knots in order. Which was the seventh?', 7],
    ['Was war der dritte Tipp auf deiner Liste?', 3],
    ['Was stand an fünfter Stelle?', 5],
    ['Was war Punkt 2 deiner Anleitung?', 2],
    ['¿Cuál era el segundo libro de tu lista?', 2],
    ['¿Qué era el número seis de tu lista?', 6],
    ['你列的第三本书叫什么？', 3],
    ['Quelle était la deuxième recette de ta liste ?', 2],
    ['What did you recommend for the third week?', null],
    ['Where did you suggest to go on the fourth of May?', null],
    ['你第二天推荐去哪儿？', null],
    ['What did you recommend?', null],
  ])('is asked for by its number: %s', (question, item) => {
    expect(askedItem(question)).toBe(item);
  });

  test.each([
    ['numbers', ['## Shows', '1. **Cold**', '2. **Wreck**', '3) **Falls**'], 3, 3],
    ['numbers in bold', ['**1. Cold**', '**2. Wreck**'], 2, 1],
    ['the rows of a table', ['| # | Show |', '| 1 | Cold |', '| 2 | Wreck |'], 2, 2],
    ['bullets', ['Three shows:', '- Cold', '- Wreck'], 2, 2],
    ['no such item', ['1. Cold', '2. Wreck'], 3, -1],
    ['no list', ['I would take Cold. 2 of them are long.'], 2, -1],
  ])('is found in a turn by %s', (_, passages, item, place) => {
    expect(placeOfItem(passages, item)).toBe(place);
  });
});
