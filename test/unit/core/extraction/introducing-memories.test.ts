/** Which memories a statement names: those that introduce a person or a thing by its name. */
import { describe, expect, test } from 'vitest';
import { mentionedIn } from '#core/extraction/introducing-memories.ts';

function mentioned(known: readonly string[], text: string): readonly string[] {
  const memories = known.map((content) => {
    const ids = { id: content, content, sources: [], speaker: null };
    return { ...ids, at: 1, live: true };
  });
  return mentionedIn({ text, speaker: null }, memories, ['dana']);
}

describe('a text names', () => {
  test.each([
    ['My manager is Priya.', 'Priya wants the report by Friday.'],
    ['My manager is Priya.', 'I must send the report to Priya by Friday.'],
    ['My boss is Priya Shah.', "Priya's office is in Leeds."],
    ['Tom is my brother.', 'I must call Tom.'],
    ['My sister Ana lives in Porto.', "Ana's birthday is on May 4."],
    ['My daughter Mia is 6.', 'Mia goes to Elm School.'],
    ['I have a cat called Luna.', 'Luna eats twice a day.'],
    ['My dentist is Dr. Lima.', 'My appointment with Lima is on May 4.'],
    ['Meine Chefin heißt Priya.', 'Ich muss Priya den Bericht schicken.'],
    ['Tom ist mein Bruder.', 'Tom wohnt in Kiel.'],
    ['Mi jefa es Priya.', 'Tengo que llamar a Priya.'],
    ['Our project is called Atlas.', 'We decided to use Postgres for Atlas.'],
    ['Nuestro proyecto se llama Atlas.', 'El lanzamiento de Atlas es el 4 de mayo.'],
    ['我的老板叫王芳。', '我要把报告发给王芳。'],
  ])('what "%s" introduces: "%s"', (known, text) => {
    expect(mentioned([known, 'I live in Lyon.'], text)).toEqual([known]);
  });

  test.each([
    ['My manager is Priya.', 'Marta wants the report by Friday.'],
    ['My manager is Priya.', 'My manager wants the report.'],
    ['I live in Lyon.', 'The Lyon office is closed.'],
    ['My dentist is Dr. Lima.', 'My doctor is Dr. Patel.'],
    ['My sister Ana lives in Porto.', 'My cousin Ana lives in Braga.'],
    ['My sister Ana lives in Porto.', 'The Porto team won.'],
    ['My birthday is on May 4.', 'The launch is in May.'],
    ['My address is Elm Street 4.', 'The shop is in Elm Street.'],
    ['I love jazz.', 'I play Jazz on Fridays.'],
  ])('nothing that "%s" introduces: "%s"', (known, text) => {
    expect(mentioned([known], text)).toEqual([]);
  });

  test('nobody if two people have the name', () => {
    const known = ['My sister Ana lives in Porto.', 'My cousin Ana lives in Braga.'];
    expect(mentioned(known, 'Ana likes figs.')).toEqual([]);
  });
});
