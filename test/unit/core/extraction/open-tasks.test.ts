import { describe, expect, test } from 'vitest';
import { asksForTasks, setsTask } from '#core/extraction/open-tasks.ts';

describe('a question', () => {
  test.each([
    'What does she still have to do?',
    "What's still open?",
    'What is left to do this week?',
    'What do I need to get done before May?',
    'Is there anything left to do?',
    "What haven't I done yet?",
    'Which tasks does Ann have?',
    'Show me my to-do list.',
    "What's on my plate?",
    'Any open tasks?',
    'What must Ben still do?',
    'Was muss ich noch erledigen?',
    'Was muss Jonas diese Woche noch machen?',
    'Was ist noch offen?',
    'Was steht noch an?',
    'Welche Aufgaben habe ich?',
    'Was habe ich noch nicht erledigt?',
    'Was hat sie noch zu tun?',
    '¿Qué tengo pendiente?',
    '¿Qué tengo que hacer todavía?',
    '¿Qué me falta por hacer?',
    '¿Qué le queda por hacer a Lucía?',
    '¿Hay tareas pendientes?',
    '¿Qué no he hecho todavía?',
    '还有什么没做?',
    '我还要做什么？',
    '还有哪些事要办？',
    '有什么待办吗？',
    '她还有什么事情没完成？',
  ])('asks for open tasks: %s', (question) => {
    expect(asksForTasks(question)).toBe(true);
  });

  test.each([
    'Where do I still live?',
    'Which shops are still open on Sundays?',
    'What does the plumber have to do with Ben?',
    'What do I have to do to reset my password?',
    'What did I have to do with the old key?',
    'What did Ann do in Rome?',
    'Does Ann still work at Acme?',
    'What time do I have to be at the airport?',
    'Was mag Jonas noch?',
    'Was muss ich tun, um das Passwort zu ändern?',
    'Wo wohne ich noch?',
    'Ist der Laden noch offen?',
    '¿Qué tengo que hacer para renovar el pasaporte?',
    '¿Qué tiene Lucía en el jardín?',
    '¿Todavía vivo en Lyon?',
    '还有什么好吃的？',
    '她为什么没做？',
    '我什么时候要做检查？',
  ])('asks for something else: %s', (question) => {
    expect(asksForTasks(question)).toBe(false);
  });
});

describe('a memory', () => {
  test.each([
    'Renew the passport before May.',
    'Call the plumber',
    'Pick up the parcel and return the book.',
    'Buy milk.',
    'I need to renew my passport.',
    'Ann must send the plan to Ben by Friday.',
    'Ann still has to pay the deposit.',
    "Don't forget to water the plants.",
    'Open task: review the contract.',
    'To-do: book the hotel in Porto.',
    'The user must renew her passport and cancel the gym.',
    'Klempner anrufen',
    'Den Pass vor Mai verlängern.',
    'Ich muss noch die Steuererklärung abgeben.',
    'Jonas muss das Paket verschicken.',
    'Renovar el pasaporte antes de mayo.',
    'Llamar al fontanero.',
    'Tengo que pagar el depósito.',
    '给水管工打电话。',
    '五月前续签护照',
    '把平面图发给小丽。',
    '小安要把平面图发给小丽。',
    '我得交房租。',
  ])('sets a task: %s', (text) => {
    expect(setsTask(text)).toBe(true);
  });

  test.each([
    'Call me Ann.',
    'Answer in French.',
    'Book club meets on Fridays.',
    'Call with Ben at five.',
    'Order number is 4711.',
    'Fix lint errors before committing.',
    'Ask before deploying.',
    'I called the plumber.',
    'Ann does not have to send the plan.',
    "I don't need to renew my passport.",
    'I had to sell the car.',
    'I have to admit that I like jazz.',
    'Ann has to pay the rent every month.',
    'The answer must be short.',
    'Ich muss nicht zum Arzt.',
    'Ich kann den Klempner anrufen.',
    'Ich mag Kaffee.',
    'No tengo que pagar el depósito.',
    'Llamar es caro.',
    '我觉得上海很好。',
    '我不用交房租。',
    '我交房租了。',
    '我只要咖啡。',
  ])('sets none: %s', (text) => {
    expect(setsTask(text)).toBe(false);
  });
});
