/** What a passage offers to a question, by its words. */
import { describe, expect, test } from 'vitest';
import { givesAdvice } from '#core/recall/question-signs.ts';

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
