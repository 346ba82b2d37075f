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
    'Which two exercises were the ones you paired?',
    "Didn't you say the museum is free on some day?",
    'I remember you telling me about a study. How many took part?',
    'In our earlier chat about breeds, which one was best?',
    'Welche Übung war es, die du gegen den Schmerz genannt hattest?',
    'In welcher Stadt beginnt dein Reiseplan?',
    'Me hablaste de un documental, ¿cómo se llamaba?',
    '你给我的建议里哪一条最要紧？',
    'Combien de temps disais-tu de laisser la pâte ?',
    'Tu as mentionné un fonds. Lequel ?',
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
    'What is your favorite color?',
    'Did you ever hear of my village?',
    'Could you put together a list?',
    "What's your advice for tonight?",
    'Which gift did I pick when you asked?',
    'What did my boss say in our last conversation?',
    'Könntest du mir einen Film empfehlen?',
    'Können Sie mir einen Film empfehlen?',
    'Hast du dir gemerkt, wann ich geboren bin?',
    '¿Existe un tren directo?',
    '医生给我推荐了什么药？',
    'As-tu noté mon adresse ?',
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
    ['What was the third of your tips?', 3],
    ['What was the 27th one you listed?', 27],
    ['Which was #2 on your list?', 2],
    ['What was step 4 of your recipe?', 4],
    ['Was war der 3. Tipp auf deiner Liste?', 3],
    ['你的清单里第十一项是什么？', 11],
    ['How many seconds did you say?', null],
    ['What did you recommend for my first marathon?', null],
    ['Worauf soll ich laut dir achten?', null],
    ['Was hast du für den 3. Mai empfohlen?', null],
    ['你说我该住第三层吗？', null],
  ])('is asked for by its number: %s', (question, item) => {
    expect(askedItem(question)).toBe(item);
  });

  test.each([
    ['numbers', ['## Shows', '1. **Cold**', '2. **Wreck**', '3) **Falls**'], 3, 3],
    ['numbers in bold', ['**1. Cold**', '**2. Wreck**'], 2, 1],
    ['the rows of a table', ['| # | Show |', '| 1 | Cold |', '| 2 | Wreck |'], 2, 2],
    ['bullets', ['Three shows:', '- Cold', '- Wreck'], 2, 2],
    ['a later line of a passage', ['Shows:\n1. Cold', '2. Wreck\n3. Falls\n4. Keepers'], 4, 1],
    ['headings', ['### **1. Cold**\nIt is calm.', '### **2. Wreck**\nIt is short.'], 2, 1],
    ['steps', ['**Step 1:** Rinse', '**Step 2:** Soak'], 2, 1],
    ['keycaps', ['1️⃣ Cold', '2️⃣ Wreck'], 2, 1],
    ['Chinese numerals', ['一、《寒带》', '二、《沉船》'], 2, 1],
    ['Chinese steps', ['第一步：洗', '第二步：泡'], 2, 1],
    ['numbers in parentheses', ['(1) Cold\n(2) Wreck', '(3) Falls'], 3, 1],
    ['the outer numbers', ['1. Cold\n1. calm\n2. long\n3. free', '2. Wreck', '3. Falls'], 3, 2],
    ['the first list with it', ['1. a\n2. b', 'Shows:\n1. Cold\n2. Wreck\n3. Falls', '1. c'], 3, 1],
    ['bullets of the first form', ['- **Cold**\n- calm', '- **Wreck**\n- short'], 2, 1],
    ['bullets, not times', ['- 2:30 Cold', '- 3:15 Wreck'], 2, 1],
    ['numbers, not a date', ['3. Mai ist der Tag.', '1. Cold\n2. Wreck\n3. Falls'], 3, 1],
    ['numbers, not a decimal', ['2.5 kg flour', '1. Cold', '2. Wreck'], 2, 2],
    ['numbers outside code', ['```\n1. x\n2. y\n```', '1. Cold', '2. Wreck'], 2, 2],
    [
      'no such item, whose bullets are below',
      ['1. Cold\n- calm', '2. Wreck\n- short\n- free'],
      3,
      -1,
    ],
    ['no such item', ['1. Cold', '2. Wreck'], 3, -1],
    ['no list', ['I would take Cold. 2 of them are long.'], 2, -1],
  ])('is found in a turn by %s', (_, passages, item, place) => {
    expect(placeOfItem(passages, item)).toBe(place);
  });
});
