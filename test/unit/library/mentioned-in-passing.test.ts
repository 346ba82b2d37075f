import { describe, expect, test } from 'vitest';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const identifiers = { userId: 'ann' };
const FIRST = Date.parse('2026-07-05T09:00:00Z');
const LATER = Date.parse('2026-10-09T09:00:00Z');
const DAY = 86_400_000;

/** What else people tell, so that a small context has no room for all of it. */
const OTHERS = [
  'The bread recipe needs 500 grams of flour and a very hot oven, says my aunt.',
  'My brother Paul plays chess in a club on Tuesdays and never loses a game.',
  'Can you explain how compound interest works, with an example of ten years?',
  'Das Backrezept braucht 500 Gramm Mehl und einen sehr heißen Ofen.',
  'Mein Bruder Paul spielt dienstags Schach im Verein und verliert nie.',
  'La receta del pan lleva 500 gramos de harina y un horno muy caliente.',
  'Mi hermano Pablo juega al ajedrez los martes en un club.',
  '面包的配方需要五百克面粉，烤箱要很热。',
  '我哥哥每周二在俱乐部下棋，从来没输过。',
  'The hike around the lake took us six hours, and we saw two herons on the way.',
];

const TOLD = [
  ['I live in Leeds.', 'We moved to York last month.', 'Where do I live?', 'Leeds', 'York'],
  ['I live in Leeds.', 'My new place in York is damp.', 'Where do I live?', 'Leeds', 'York'],
  ['I live in Leeds.', 'Since the move to York I sleep well.', 'Where do I live?', 'Leeds', 'York'],
  ['Ich wohne in Köln.', 'Seit dem Umzug nach Bonn schlafe ich.', 'Wo wohne ich?', 'Köln', 'Bonn'],
  ['Ich wohne in Köln.', 'Unsere neue Wohnung in Bonn ist hell.', 'Wo wohne ich?', 'Köln', 'Bonn'],
  ['Vivo en Lugo.', 'Desde la mudanza a Cádiz duermo mejor.', '¿Dónde vivo?', 'Lugo', 'Cádiz'],
  ['Vivo en Lugo.', 'Mi piso nuevo en Cádiz tiene terraza.', '¿Dónde vivo?', 'Lugo', 'Cádiz'],
  ['我住在上海。', '自从搬到苏州以后，我每天骑车。', '我住在哪里？', '上海', '苏州'],
  ['My boss is Tom.', 'Lunch with my new boss Ines was fun.', 'Who is my boss?', 'Tom', 'Ines'],
  ['Mein Chef heißt Tom.', 'Meine neue Chefin Ines ist nett.', 'Wer ist mein Chef?', 'Tom', 'Ines'],
  ['I work at Acme.', 'Since joining Globex I get up early.', 'Where do I work?', 'Acme', 'Globex'],
  [
    'My dentist appointment is on May 9.',
    'The dentist pushed it to May 14.',
    'When is my dentist appointment?',
    'May 9',
    'May 14',
  ],
  [
    'Der Friseurtermin ist am 9. Mai.',
    'Der Friseur hat den Termin auf den 14. Mai verschoben.',
    'Wann ist der Friseurtermin?',
    '9. Mai',
    '14. Mai',
  ],
] as const;

async function say(tenant: string, sessionId: string, content: string, at: number): Promise<void> {
  const turns = [{ role: 'user' as const, content, at }];
  await library().varve.conversation.append({ tenant, identifiers, sessionId, turns });
}

describe('what a sentence of another session only mentions', () => {
  test.each(TOLD)(
    '"%s" is earlier in a small context after "%s"',
    async (older, newer, query, old, now) => {
      const tenant = newTenant();
      await say(tenant, 'first', older, FIRST);
      for (const [place, other] of OTHERS.entries()) {
        await say(tenant, `other ${place}`, other, FIRST + place * DAY);
      }
      await say(tenant, 'later', newer, LATER);
      const asked = { tenant, identifiers, query, at: LATER + DAY };
      const { text } = await library().varve.context.assemble({ ...asked, maxTokens: 200 });
      expect(text).toContain(now);
      for (const line of text.split('\n').filter((each) => each.includes(old))) {
        expect(line).toContain('(earlier)');
      }
    },
  );
});
