/** What somebody takes back no longer holds in memories, searches, lists and contexts. */
import { describe, expect, test } from 'vitest';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const identifiers = { userId: 'dana' };
const DAYS = ['2026-09-01T10:00:00Z', '2026-10-01T10:00:00Z', '2026-11-20T10:00:00Z'];

interface Case {
  readonly query: string;
  readonly said: string;
  readonly back: string;
}

const CASES: readonly Case[] = [
  {
    query: 'Which food does Dana avoid?',
    said: "I can't eat gluten.",
    back: 'Forget what I said about gluten.',
  },
  {
    query: 'Wo wohne ich?',
    said: 'Ich wohne in Lyon.',
    back: 'Vergiss bitte, dass ich in Lyon wohne.',
  },
  { query: '¿Qué no como?', said: 'No como gluten.', back: 'Olvida lo que dije del gluten.' },
  { query: '我对什么过敏？', said: '我对麸质过敏。', back: '忘了我说的关于麸质的事' },
];

/** Sends each text as a message of its day; returns what became of the last one. */
async function told(texts: readonly string[], tenant = newTenant()) {
  const results = [];
  for (const [place, content] of texts.entries()) {
    const messages = [{ role: 'user' as const, content, at: DAYS[place] ?? '' }];
    const answer = await library().varve.memory.addMessages({ tenant, identifiers, messages });
    results.push(answer.results[0]);
  }
  return { of: { tenant, identifiers }, results };
}

describe('a retraction', () => {
  test.each(CASES)('"$back" ends what it names, which its history says', async ({ said, back }) => {
    const { of, results } = await told([said, back]);
    const [known, ended] = results;
    expect(ended).toMatchObject({ event: 'SUPERSEDE', supersedes: [known?.id] });
    const { varve } = library();
    const { memories } = await varve.memory.list(of);
    expect(memories.map(({ content }) => content)).toEqual([back]);
    const { changes } = await varve.memory.history({ tenant: of.tenant, id: known?.id ?? '' });
    expect(changes.map(({ action }) => action)).toEqual(['Superseded', 'Added']);
  });

  test.each(CASES)('"$back" is undone by deleting it', async ({ said, back }) => {
    const { of, results } = await told([said, back]);
    const { varve } = library();
    await varve.memory.delete({ tenant: of.tenant, id: results[1]?.id ?? '' });
    const { memories } = await varve.memory.list(of);
    expect(memories.map(({ content, outdated }) => [content, outdated])).toEqual([[said, false]]);
  });

  test.each(CASES)('"$said" holds again if it is said after it', async ({ said, back }) => {
    const { of } = await told([said, back, said]);
    const { memories } = await library().varve.memory.list({ ...of, order: 'oldest' });
    const holding = memories.filter(({ outdated }) => outdated !== true);
    expect(holding.map(({ content }) => content)).toContain(said);
  });

  test.each(CASES)('"$back" marks the earlier turn and memory', async ({ query, said, back }) => {
    const tenant = newTenant();
    const { varve } = library();
    for (const [place, content] of [said, back].entries()) {
      const turns = [{ role: 'user' as const, content, at: DAYS[place] ?? '' }];
      const sessionId = `s${String(place)}`;
      await varve.conversation.append({ tenant, identifiers, sessionId, turns });
      await varve.memory.add({
        tenant,
        identifiers,
        layer: 'user',
        content,
        at: DAYS[place] ?? '',
      });
    }
    const { text } = await varve.context.assemble({ tenant, identifiers, query });
    const shown = text.split('\n').filter((line) => line.includes(said));
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.filter((line) => !line.endsWith(' (earlier)'))).toEqual([]);
    const { hits } = await varve.memory.search({ tenant, identifiers, query, threshold: 0 });
    const held = hits.filter(({ text: found, outdated }) => found.includes(said) && !outdated);
    expect(held).toEqual([]);
  });

  test.each(CASES)('"$back" stands in no summary', async ({ said, back }) => {
    const tenant = newTenant();
    const { varve } = library();
    const session = { tenant, sessionId: `of-${tenant}` };
    const turns = [said, 'Ana plays the cello.', back].map((content, place) => {
      return { role: 'user' as const, content, at: DAYS[place] ?? '' };
    });
    await varve.conversation.append({ ...session, identifiers, turns });
    await varve.conversation.flush(session);
    await varve.refresh({ tenant });
    const named = { ...identifiers, sessionId: session.sessionId };
    for (const layer of ['session', 'user'] as const) {
      const summary = await varve.summary.get({ tenant, identifiers: named, layer });
      const text = summary?.text ?? '';
      expect([layer, text.includes(back), text.includes(said)]).toEqual([layer, false, false]);
      if (layer === 'session') expect(text).toContain('cello');
    }
  });

  test.each(CASES)(
    '"$back" leaves no summary of a chat of nothing else',
    async ({ said, back }) => {
      const tenant = newTenant();
      const { varve } = library();
      const session = { tenant, sessionId: `of-${tenant}` };
      const append = (content: string, at = '') =>
        varve.conversation.append({ ...session, turns: [{ role: 'user', content, at }] });
      const summarized = async () => {
        const { failures } = await varve.refresh({ tenant });
        expect(failures).toEqual([]);
        return (
          await varve.summary.get({
            tenant,
            identifiers: { sessionId: session.sessionId },
            layer: 'session',
          })
        )?.text;
      };
      await append(said, DAYS[0]);
      expect(await summarized()).toContain(said.slice(0, -1));
      await append(back, DAYS[1]);
      expect(await summarized()).toBeUndefined();
      await append('Ana plays the cello.', DAYS[2]);
      expect(await summarized()).toContain('cello');
    },
  );

  test('that names nothing known becomes no memory', async () => {
    const { of } = await told(['I live in Paris.', 'Please forget that I live in Lyon.']);
    const { memories } = await library().varve.memory.list(of);
    expect(memories.map(({ content, outdated }) => [content, outdated])).toEqual([
      ['I live in Paris.', false],
    ]);
  });

  test('ends nothing that another person said', async () => {
    const tenant = newTenant();
    const { varve } = library();
    const messages = [
      { speaker: 'Bob', content: "I can't eat gluten.", at: DAYS[0] ?? '' },
      { speaker: 'Eva', content: 'Forget what I said about gluten.', at: DAYS[1] ?? '' },
    ].map((each) => ({ role: 'user' as const, ...each }));
    await varve.memory.addMessages({ tenant, identifiers, messages });
    const { memories } = await varve.memory.list({ tenant, identifiers });
    expect(memories.map(({ content, outdated }) => [content, outdated])).toEqual([
      ["Bob: I can't eat gluten.", false],
    ]);
  });
});
