import { describe, expect, test } from 'vitest';
import { turnKey } from '#core/context/past-turns.ts';
import type { RecallHit } from '#core/recall/recall-hits.ts';
import { turnsOfMemories, withMemoriesForTurns } from '#core/recall/turns-of-memories.ts';
import { sourceDate } from '#core/sources/source.ts';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const identifiers = { userId: 'ann' };
const FIRST = Date.parse('2026-10-05T09:00:00Z');
const DAY = 86_400_000;
const LATER = FIRST + 40 * DAY;

/** Flushes a session for each text, a day apart. */
async function told(texts: readonly string[]) {
  const tenant = newTenant();
  const { conversation } = library().varve;
  for (const [day, content] of texts.entries()) {
    const sessionId = `s${String(day)}`;
    const turns = [{ role: 'user' as const, content, at: FIRST + day * DAY }];
    await conversation.append({ tenant, identifiers, sessionId, turns });
    await conversation.flush({ tenant, sessionId });
  }
  return { tenant, identifiers, at: LATER };
}

type Asked = Parameters<ReturnType<typeof library>['varve']['memory']['search']>[0];
const search = (asked: Asked) => library().varve.memory.search(asked);

describe('a search finds a memory and the turn from which it was made', () => {
  test('and shows the memory, with the better score of both', async () => {
    const of = await told(['My landlord is called Anton Costa.']);
    const query = 'What is my landlord called?';
    const { hits } = await search({ ...of, query, explain: true });
    const firstOf = async (source: 'memory' | 'turn') =>
      (await search({ ...of, query, sources: [source] })).hits[0];
    const [memory, turn] = await Promise.all([firstOf('memory'), firstOf('turn')]);
    expect(hits.map(({ source, text }) => [source, text])).toEqual([['memory', memory?.text]]);
    expect(turn?.source).toBe('turn');
    expect(hits[0]?.score).toBe(Math.max(memory?.score ?? 0, turn?.score ?? 0));
    expect(hits[0]?.explanation).not.toBeNull();
  });

  test.each(['Bob', 'bob the builder'])('and shows once what %s says', async (speaker) => {
    const tenant = newTenant();
    const { conversation, memory, context } = library().varve;
    const turns = [{ role: 'user' as const, speaker, content: 'I moved to Oslo.', at: FIRST }];
    await conversation.append({ tenant, identifiers, sessionId: 's', turns });
    await conversation.flush({ tenant, sessionId: 's' });
    const asked = { tenant, identifiers, query: 'Who moved to Oslo?', at: LATER };
    const { hits } = await memory.search(asked);
    expect(hits.map(({ source }) => source)).toEqual(['memory']);
    const { text } = await context.assemble(asked);
    expect(text.match(/I moved to Oslo/gu)).toHaveLength(1);
  });

  test('and fills the place with the next hit', async () => {
    const of = await told(['My landlord is called Anton Costa.', 'My landlord lives in Ghent.']);
    const { hits } = await search({
      ...of,
      query: 'What is my landlord called?',
      limit: 2,
      threshold: 0.3,
    });
    expect(hits.map(({ text }) => text).toSorted()).toEqual([
      expect.stringContaining('Anton'),
      expect.stringContaining('Ghent'),
    ]);
  });

  test('and shows what replaced it before it', async () => {
    const of = await told(['I live in Lyon.', 'I moved to Nice last week.']);
    const { hits } = await search({ ...of, query: 'Where do I live?' });
    const shown = hits.map(({ text, outdated }) => [text.includes('Nice'), outdated]);
    expect(shown).toContainEqual([true, false]);
    expect(shown.filter(([isNewer]) => isNewer !== true)).not.toContainEqual([false, false]);
    expect(shown[0]).toEqual([true, false]);
  });
});

test.each([
  ['My landlord is Anton Costa.', true, true],
  ['My landlord is Anton Costa, friendly.', true, true],
  ['My landlord is Anton Costa, flat 7.', true, false],
  ['My landlord is Anton Costa.', false, false],
  ['My landlord is Anton Costa, who lives in Ghent with three dogs.', true, false],
  ['My landlord is ill.', true, false],
])('a memory of the turn %j, whole: %s, stands for it: %s', (text, isLast, isSame) => {
  const at = { at: FIRST, utcOffset: 0 };
  const content = `My landlord is Anton Costa. ${sourceDate(at)}`;
  const passage = { sessionId: 's', turnId: 't', speaker: 'user', text, isFirst: true, isLast };
  const hit = { passage, score: 1 } as RecallHit;
  const turns = new Map([['m', turnKey(hit.passage)]]);
  const termsOf = (words: string) => words.toLowerCase().match(/\p{L}{3,}/gu) ?? [];
  const found = turnsOfMemories({ memories: [{ id: 'm', content }], turns }, [hit], termsOf);
  expect(found.get('m')).toBe(isSame ? hit : undefined);
});

test('what replaces a turn, or what it replaces, is told of the memory in its place', () => {
  const outdated = new Map([
    ['old turn', ['turn', 'memory']],
    ['turn', ['memory', 'new turn']],
    ['memory', ['new']],
  ]);
  expect(withMemoriesForTurns(outdated, new Map([['turn', 'memory']]))).toEqual(
    new Map([
      ['old turn', ['memory']],
      ['memory', ['new turn', 'new']],
    ]),
  );
});
