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

test.each([
  ['The user moved to Leeds and sold their car.', 'I moved to Leeds and sold my car.'],
  ['2026-03-09: Update: user is now vegan', "I'm now vegan"],
  ["User's doctor took the user off metformin.", 'My doctor took me off metformin.'],
  ['The user has been at Bosch since May.', "I've been at Bosch since May."],
  ['Der Benutzer darf kein Ibuprofen nehmen.', 'Ich darf kein Ibuprofen nehmen.'],
  ['Seit Mai arbeitet der Nutzer bei Bosch.', 'Seit Mai arbeite ich bei Bosch.'],
  ['Die Tochter der Nutzerin heißt Frieda.', 'Meine Tochter heißt Frieda.'],
  ['La usuaria se divorció de Luis.', 'Yo me divorcié de Luis.'],
  ['El hijo del usuario dejó el fútbol.', 'Mi hijo dejó el fútbol.'],
  ['El médico le retiró el omeprazol al usuario.', 'El médico me retiró el omeprazol.'],
  ['更正：用户的女儿转学了', '我的女儿转学了'],
  // Not a person who uses the assistant.
  ['User feedback is collected weekly.', 'User feedback is collected weekly.'],
  ['用户界面改版了', '用户界面改版了'],
])('a memory about the user reads as the user would say it: %j', (content, said) => {
  expect(inFirstPerson(content, ['user-4711'])).toBe(said);
});
