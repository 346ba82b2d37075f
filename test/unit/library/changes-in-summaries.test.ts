/** What contexts mark as ended by a turn, the summary of the user marks too. */
import { describe, expect, test } from 'vitest';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const identifiers = { userId: 'dana' };
const DAY_MS = 86_400_000;
const FIRST = Date.parse('2026-10-06T09:00:00Z');

/** Says each text in a session of its own, and returns the summary of the user. */
async function summaryOf(texts: readonly string[]): Promise<string> {
  const tenant = newTenant();
  const { varve } = library();
  for (const [day, content] of texts.entries()) {
    const sessionId = `s${String(day)}`;
    const turns = [{ role: 'user' as const, content, at: FIRST + day * DAY_MS }];
    await varve.conversation.append({ tenant, identifiers, sessionId, turns });
    await varve.conversation.flush({ tenant, sessionId });
  }
  await varve.refresh({ tenant });
  const summary = await varve.summary.get({
    tenant,
    layer: 'user',
    identifiers,
    depth: 'detailed',
  });
  return summary?.text ?? '';
}

/** The words of a text, without its last mark. */
const wordsOf = (text: string): string => text.replace(/[.!。！]$/u, '');

describe('the summary of a user', () => {
  test.each([
    [
      'I am allergic to penicillin.',
      'The allergist says I am not allergic to penicillin after all.',
    ],
    ['I drive a blue Golf.', 'The Golf finally died, got an e-bike instead.'],
    [
      'I go to the gym on Mondays and Thursdays.',
      'Thursdays do not work anymore, gym is Monday and Friday now.',
    ],
    ['Mein Chef ist Tom.', 'Tom ist leider weg.'],
    ['Mi jefa es Lucía.', 'Lucía se fue de la empresa.'],
    ['我的老板是王伟。', '王伟离职了。'],
  ])('"%s" does not stand alone after "%s"', async (older, newer) => {
    const text = await summaryOf([older, newer]);
    const place = text.indexOf(wordsOf(older));
    if (place >= 0)
      expect(text.slice(place)).toMatch(/^[^(]*\([^)]*\)[.。]? \((?:in part )?earlier\)/u);
    expect(text).toContain(wordsOf(newer));
  });

  test('says the day of a change once', async () => {
    const text = await summaryOf([
      'I go to the gym on Mondays and Thursdays.',
      'Thursdays do not work anymore, gym is Monday and Friday now.',
    ]);
    expect(text).toContain('gym is Monday and Friday now');
    expect(text).not.toMatch(/\(as of [^)]+\)[.。]? \(as of/u);
  });

  test.each([
    ['I live in Leeds.', 'The printer finally died, got a new one instead.'],
    ['I work at Bosch.', 'Maybe the Golf is gone now?'],
    ['Ich wohne in Köln.', 'Der Drucker ist leider weg.'],
    ['Vivo en Madrid.', 'La impresora ya no funciona.'],
    ['我住在上海。', '打印机坏了，扔了。'],
  ])('"%s" stays alone after "%s", which ends nothing known', async (older, newer) => {
    expect(await summaryOf([older, newer])).toBe(older);
  });
});
