import { describe, expect, test } from 'vitest';
import { withoutSourceDate } from '#core/sources/source.ts';
import { newTenant, sharedLibrary } from '#test/unit/library/open-library.ts';

const library = sharedLibrary();
const identifiers = { userId: 'ann' };
const FIRST = Date.parse('2026-07-05T09:00:00Z');
const DAY = 86_400_000;

/** What else people say between a statement and its correction. */
const OTHERS = [
  'Can you explain how a bloom filter works?',
  'The sourdough came out too dense again.',
  'I watched a documentary about octopuses last night.',
  'Der Drucker im Büro klemmt schon wieder.',
  'Welche Hauptstadt hat die Mongolei?',
  'Los niños hicieron una cabaña con cojines.',
  '邻居在学小号。',
];

type Told = readonly [older: string, newer: string, query: string];

/** Returns the hits, and whether each is outdated. */
async function hitsAfter([older, newer, query]: Told, ends: boolean) {
  const tenant = newTenant();
  const { conversation, memory } = library().varve;
  for (const [day, content] of [older, ...OTHERS, newer].entries()) {
    const sessionId = `s${String(day)}`;
    const turns = [{ role: 'user' as const, content, at: FIRST + day * DAY }];
    await conversation.append({ tenant, identifiers, sessionId, turns });
    if (ends) await conversation.flush({ tenant, sessionId });
  }
  const { hits } = await memory.search({ tenant, identifiers, query, at: FIRST + 20 * DAY });
  return hits.map(({ text, outdated }) => [withoutSourceDate(text), outdated]);
}

const CORRECTED: readonly Told[] = [
  ['My shoe size is 42.', 'Actually 43 fits better, take 43 from now on.', 'What is my shoe size?'],
  [
    'My flight to Lisbon leaves on Friday at 7:40.',
    'The airline rebooked me, it is Saturday at 9 now.',
    'When does my flight to Lisbon leave?',
  ],
  ['My name is Dana Weber.', 'I got married, it is Dana Lima now.', 'What is my name?'],
  ['Meine Schuhgröße ist 42.', 'Eigentlich passt 43 jetzt besser.', 'Welche Schuhgröße habe ich?'],
  [
    'Mein Flug nach Lissabon geht am Freitag um 7:40 Uhr.',
    'Die Airline hat umgebucht, es ist jetzt Samstag um 9 Uhr.',
    'Wann geht mein Flug nach Lissabon?',
  ],
  ['Mi teléfono es 600 111 222.', 'Perdón, me equivoqué, es 600 111 223.', '¿Cuál es mi teléfono?'],
  [
    'Mi vuelo a Lisboa sale el viernes a las 7:40.',
    'La aerolínea lo cambió, ahora es el sábado a las 9:00.',
    '¿Cuándo sale mi vuelo a Lisboa?',
  ],
  [
    '我去里斯本的航班是周五早上7点40分。',
    '航空公司改了，现在是周六上午9点10分。',
    '我去里斯本的航班是几点？',
  ],
  ['会议的预算是5000元。', '财务又调整了，现在是6200元。', '会议的预算是多少？'],
];

describe.each([
  ['turns', false],
  ['memories', true],
])('a search among %s', (_, ends) => {
  test.each(CORRECTED)('has %s with what was said later: %s', async (...pair) => {
    const [older, newer] = pair;
    expect((await hitsAfter(pair, ends)).slice(0, 2)).toEqual([
      [older, false],
      [newer, false],
    ]);
  });
});

describe('what somebody says later of another matter', () => {
  test.each<Told>([
    ['My shoe size is 42.', 'The kids built a fort out of cushions.', 'What is my shoe size?'],
    ['My dentist is Dr. Lima.', 'Summarize the quarterly report for me.', 'Who is my dentist?'],
    ['Meine Zahnärztin ist Frau Lima.', 'Zeig mir ein Brotrezept.', 'Wer ist meine Zahnärztin?'],
    ['Mi dentista es el doctor Lima.', 'Cuéntame un chiste corto.', '¿Quién es mi dentista?'],
    ['我的牙医是李医生。', '给我讲个笑话吧。', '我的牙医是谁？'],
  ])('is not among the hits: %s / %s', async (...pair) => {
    expect(await hitsAfter(pair, false)).toEqual([[pair[0], false]]);
  });
});
