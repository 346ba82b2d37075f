/** What a passage offers to a question, by its words. */
import { describe, expect, test } from 'vitest';
import { givesAdvice, askedTypes } from '#core/recall/question/answer-types.ts';

describe('a passage of the assistant', () => {
  test.each([
    "I'd take the late train.",
    'Use pure tung oil, four coats.',
    'Probier jeden Morgen einen Block ohne Netz.',
    'Am besten eine kleine Anzahlung.',
    'Practica en seco la maniobra.',
    'Te recomiendo el paseo del río.',
    '建议把余量放进缓存。',
  ])('advises: %s', (passage) => {
    expect(givesAdvice(passage)).toBe(true);
  });

  test.each([
    'The first train leaves at six.',
    'Entered: two doors, Havana.',
    'Der Termin steht im Kalender.',
    'La boda es el sábado.',
    '已经记下了。',
  ])('only reports: %s', (passage) => {
    expect(givesAdvice(passage)).toBe(false);
  });
});

describe('a question for what somebody likes or told the assistant to do', () => {
  test.each([
    ['How did I ask you to explain recipes?', true],
    ['What did I tell you not to put in my letters?', true],
    ['Which words have I forbidden, and what did I say to write instead?', true],
    ['What won’t I eat?', true],
    ['Which paint can’t I stand in the nursery?', true],
    ['What did I tell you about my sister?', false],
    ['Which firm do I use these days?', false],
    ['Who told you that?', false],
    ['Wie hab ich dir gesagt, dass die Liste aussehen soll?', true],
    ['Was hab ich dir da verboten?', true],
    ['Welches Wort schreib ich, wenn du dich kurz fassen sollst?', true],
    ['Für wie viele Leute musst du mir das rechnen?', true],
    ['Was habe ich dir gesagt?', false],
    ['¿Cómo te dije que me lo escribieras?', true],
    ['¿Qué te pedí que no pusieras?', true],
    ['¿Qué te dije de Silvina?', false],
    ['我当初不让你写什么？', true],
    ['我要求您怎么念？', true],
    ['我跟你说过她的生日吗?', false],
  ])('is recognized: %s', (question, isOfPreference) => {
    expect(askedTypes(question).preference).toBe(isOfPreference);
  });
});
