/** A request for a text shows the style preferences, which it does not name. */
import { describe, expect, test } from 'vitest';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const identifiers = { userId: 'ann' };
/** Less than all that is said takes. */
const MAX_TOKENS = 230;

const EN = [
  'The dishwasher broke again, the technician comes on Thursday at 9.',
  'By the way, keep it short, I read on the bus.',
  'My sister Ines has a new job at the harbor in Kiel, she starts in May.',
  'My colleague Otto retires in March after 30 years and loves sailing.',
  'The car needs new tires before the winter, 420 euros at Pneu Meyer.',
  'The landlord, Mr. Petersen, wants to renovate the stairs in spring.',
  'no emojis please',
  'The school trip is on June 14 and costs 85 euros.',
  'Our cat Pixel had to go to the vet, she ate a rubber band.',
  'I have to call the insurance about the water damage before Friday.',
];
const DE = [
  'Die Spülmaschine ist wieder kaputt, der Techniker kommt am Donnerstag um 9.',
  'Ach, und halt dich kurz, ich lese im Bus.',
  'Meine Schwester Ines hat einen neuen Job am Hafen in Kiel, sie fängt im Mai an.',
  'Mein Kollege Otto geht im März nach 30 Jahren in Rente und segelt gern.',
  'Das Auto braucht neue Reifen, 420 Euro bei Pneu Meyer.',
  'Der Vermieter, Herr Petersen, will im Frühling das Treppenhaus renovieren.',
  'bitte keine Emojis',
  'Der Schulausflug ist am 14. Juni und kostet 85 Euro.',
  'Unsere Katze Pixel musste zum Tierarzt, sie hat ein Gummiband gefressen.',
  'Ich muss vor Freitag die Versicherung wegen des Wasserschadens anrufen.',
];

const WAYS = {
  'as turns': async (tenant: string, content: string, at: string) => {
    const turns = [{ role: 'user', content, at } as const];
    await library().varve.conversation.append({
      tenant,
      identifiers,
      sessionId: `${tenant}-${at}`,
      turns,
    });
  },
  'as memories': async (tenant: string, content: string, at: string) => {
    await library().varve.memory.add({ tenant, identifiers, layer: 'user', content, at });
  },
};

describe('a request for a text', () => {
  test.each([
    ['as turns', 'Write a text about Otto', EN, 'Otto retires'],
    ['as memories', 'Write a text about Otto', EN, 'Otto retires'],
    ['as turns', 'Schreib mir eine Mail an den Vermieter', DE, 'Petersen'],
    ['as memories', 'Schreib mir eine Mail an den Vermieter', DE, 'Petersen'],
  ] as const)('%s, "%s": shows the rules and what it is about', async (way, query, said, about) => {
    const tenant = newTenant();
    for (const [day, content] of said.entries()) {
      await WAYS[way](tenant, content, `2026-10-${String(day + 10)}T10:00:00Z`);
    }
    const asked = { tenant, identifiers, query, maxTokens: MAX_TOKENS, layerSummaries: false };
    const { text } = await library().varve.context.assemble(asked);
    const [, rule = '', , , , , other = ''] = said;
    expect(text).toContain(rule);
    expect(text).toContain(other);
    expect(text).toContain(about);
    expect(said.every((each) => text.includes(each))).toBe(false);
  });
});
