/** A second job, a membership or a moved account ends neither the job nor the home. */
import { describe, expect, test } from 'vitest';
import { endingBy } from './ending-by.ts';

describe('the main job holds', () => {
  test.each([
    ['I work at Bosch.', 'I joined Greenpeace as a volunteer.'],
    ['I work at Bosch.', 'I joined Greenpeace last week.'],
    ['I work at Bosch.', 'I have joined Rotary.'],
    ['I work at Bosch.', 'I joined Spotify Premium.'],
    ['I work at Bosch.', 'I joined Amazon Prime in May.'],
    ['I work at Bosch.', 'I joined Strava in May, the routes are great.'],
    ['I work at Bosch.', 'I joined Oxfam as a member.'],
    ['I work at Bosch.', 'I now work at Aldi on weekends.'],
    ['I work at Bosch.', 'I started at Rewe on the side.'],
    ['Ich arbeite bei Bosch.', 'Ich habe einen zweiten Job bei Aldi angefangen.'],
    ['Ich arbeite bei Bosch.', 'Ich habe einen Nebenjob bei Aldi angefangen.'],
    ['Ich arbeite bei Bosch.', 'Ich habe am Wochenende bei Rewe angefangen.'],
    ['Ich arbeite bei Bosch.', 'Ich habe als Freiwilliger bei Greenpeace angefangen.'],
    ['Trabajo en Zara.', 'Ahora tengo un segundo trabajo en Lidl.'],
    ['Trabajo en Zara.', 'Empecé en Lidl los fines de semana.'],
    ['我在腾讯上班。', '我现在周末在瑞幸上班。'],
    ['I have a second job at Aldi.', 'I now work at Siemens.'],
    ['I work at Aldi on weekends.', 'I joined Siemens.'],
  ])('"%s" after "%s"', (older, newer) => {
    expect(endingBy(older, newer)).toBe('None');
  });
});

describe('the home holds', () => {
  test.each([
    ['I live in Leeds.', 'I moved to Tableau last month.'],
    ['I live in Leeds.', 'I moved to Vanguard.'],
    ['I live in Leeds.', 'I moved to Halifax with my savings.'],
    ['I live in Leeds.', 'I have moved to Mimestream for my mail.'],
  ])('"%s" after "%s"', (older, newer) => {
    expect(endingBy(older, newer)).toBe('None');
  });
});

describe('a new job or home ends the one before', () => {
  test.each([
    ['I work at Bosch.', 'I joined Siemens last week.'],
    ['I work at Bosch.', 'I joined Strava as a data engineer.'],
    ['I work at Bosch.', 'I now work at Greenpeace.'],
    ['Ich arbeite bei Bosch.', 'Ich habe bei Aldi angefangen.'],
    ['Trabajo en Zara.', 'He encontrado un nuevo trabajo en Lidl.'],
    ['我在腾讯上班。', '我现在在瑞幸上班。'],
    ['I live in Leeds.', 'I moved to Halifax with my cat.'],
    ['I live in Leeds.', 'I moved to York for my studies.'],
  ])('"%s" by "%s"', (older, newer) => {
    expect(endingBy(older, newer)).toBe('All');
  });
});
