import { expect, test } from 'vitest';
import { inFirstPerson } from '#core/extraction/statement.ts';

test.each([
  ['Dana is allergic to peanuts and lives in Lyon.', "I'm allergic to peanuts and live in Lyon."],
  ['Dana works at Netflix but hates meetings.', 'I work at Netflix but hate meetings.'],
  ['Dana left Netflix and now works at Hulu.', 'I left Netflix and now work at Hulu.'],
  ['Dana recently flew to Oslo.', 'I recently flew to Oslo.'],
  ['Dana studies law.', 'I study law.'],
  ["Dana doesn't eat fish.", "I don't eat fish."],
  ['Dana no longer watches films.', 'I no longer watch films.'],
  ['Dana and Paul got divorced.', 'Paul and I got divorced.'],
  [
    'Dana ist allergisch gegen Nüsse und wohnt in Köln.',
    'Ich bin allergisch gegen Nüsse und wohne in Köln.',
  ],
  ['Dana vive en Madrid y es vegetariana.', 'Vivo en Madrid y soy vegetariana.'],
  ['Dana vendió el coche.', 'Yo vendí el coche.'],
  ['Dana ya dejó el hospital.', 'Yo ya dejé el hospital.'],
  ['Dana nimmt Metformin.', 'Ich nehme Metformin.'],
  ['Dana arbeitet bei Bosch.', 'Ich arbeite bei Bosch.'],
  ['Dana lebt in Köln und arbeitet bei Bosch.', 'Ich lebe in Köln und arbeite bei Bosch.'],
  ['Dana把车卖了。', '我把车卖了。'],
  ['Dana住在杭州，对花生过敏。', '我住在杭州，对花生过敏。'],
  // Not what she does.
  ['Dana Reed lives in Lyon.', 'Dana Reed lives in Lyon.'],
  ['Dana from sales called.', 'Dana from sales called.'],
  // Somebody else's verbs stay as they are.
  ['Karim lives in Lyon and works at Netflix.', 'Karim lives in Lyon and works at Netflix.'],
  ['Karim wohnt in Köln und arbeitet viel.', 'Karim wohnt in Köln und arbeitet viel.'],
  ['Karim vive en Madrid y trabaja mucho.', 'Karim vive en Madrid y trabaja mucho.'],
])('a memory about Dana reads as she would say all of it: %j', (content, said) => {
  expect(inFirstPerson(content, ['dana'])).toBe(said);
});
