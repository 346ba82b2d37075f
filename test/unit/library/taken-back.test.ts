/** A change that is taken back: memories, summaries, searches and contexts agree what holds. */
import { describe, expect, test } from 'vitest';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const identifiers = { userId: 'ann' };

const DAYS = ['2026-09-01T10:00:00Z', '2026-10-01T10:00:00Z', '2026-11-20T10:00:00Z'];

const WAYS = {
  'memory.add': async (tenant: string, content: string, at: string) => {
    await library().varve.memory.add({ tenant, identifiers, layer: 'user', content, at });
  },
  'memory.addMessages': async (tenant: string, content: string, at: string) => {
    const messages = [{ role: 'user', content, at } as const];
    await library().varve.memory.addMessages({ tenant, identifiers, messages });
  },
};

type Case = readonly [way: keyof typeof WAYS, query: string, said: readonly string[]];

const CASES: readonly Case[] = (
  [
    ['Where do I live?', ['I live in Leeds.', 'I moved to Porto.', 'Kidding, I did not move.']],
    [
      'Wo wohne ich?',
      ['Ich wohne in Köln.', 'Ich bin nach Bonn gezogen.', 'Scherz, ich bin nicht umgezogen.'],
    ],
    ['¿Dónde vivo?', ['Vivo en Lugo.', 'Me mudé a Jaén.', 'Era broma, no me he mudado.']],
    ['我住在哪里？', ['我住在上海。', '我搬到了杭州。', '开玩笑的，我没搬家。']],
  ] as const
).flatMap(([query, said]) =>
  (['memory.add', 'memory.addMessages'] as const).map((way) => [way, query, said] as const),
);

describe('a change that is taken back', () => {
  test.each(CASES)('%s, "%s": what held before holds again', async (way, query, said) => {
    const tenant = newTenant();
    for (const [place, content] of said.entries())
      await WAYS[way](tenant, content, DAYS[place] ?? '');
    const { varve } = library();
    await varve.refresh({ tenant, kind: 'Stale' });
    const [before = '', change = ''] = said;

    const { hits } = await varve.memory.search({ tenant, identifiers, query });
    const holding = hits.filter(({ outdated }) => !outdated);
    const texts = holding.map(({ memory }) => memory?.content);
    expect(texts).toContain(before);
    expect(texts).not.toContain(change);

    const summary = await varve.summary.get({
      tenant,
      identifiers,
      layer: 'user',
      depth: 'detailed',
    });
    expect(summary?.text).toContain(before.slice(0, -1));
    expect(summary?.text).not.toContain(change.slice(0, -1));

    const context = await varve.context.assemble({ tenant, identifiers, query });
    const lines = context.text.split('\n').filter((line) => !line.includes('(earlier)'));
    expect(lines.join('\n')).toContain(before.slice(0, -1));
    expect(lines.join('\n')).not.toContain(change.slice(0, -1));
  });

  test.each([
    ['Where do I live?', ['I live in Leeds.', 'I moved to Porto!', 'Just kidding!']],
    ['Where do I live?', ['I live in Leeds.', 'We moved to Porto!', 'Kidding, still in Leeds.']],
    ['Wo wohne ich?', ['Ich wohne in Köln.', 'Ich bin nach Bonn gezogen!', 'War nur ein Witz.']],
    ['¿Dónde vivo?', ['Vivo en Lugo.', 'Me mudé a Jaén.', 'Era broma, sigo en Lugo.']],
    ['我住在哪里？', ['我住在广州。', '我搬到北京了。', '开玩笑的，我还在广州。']],
  ])('%s, %j in one session: the joke replaces nothing', async (query, said) => {
    const tenant = newTenant();
    const { varve } = library();
    const [home = '', joke = '', last = ''] = said;
    for (const [sessionId, contents] of [['s1', [home]] as const, ['s2', [joke, last]] as const]) {
      const at = sessionId === 's1' ? DAYS[0] : DAYS[1];
      const turns = contents.map((content) => ({ role: 'user' as const, content, at }));
      await varve.conversation.append({ tenant, identifiers, sessionId, turns });
      await varve.conversation.flush({ tenant, sessionId });
    }
    await varve.refresh({ tenant, kind: 'Stale' });

    const { memories } = await varve.memory.list({ tenant, identifiers });
    expect(memories.map(({ content, state }) => [content, state])).toEqual([[home, 'active']]);

    const asked = { tenant, identifiers, layer: 'user', depth: 'detailed' } as const;
    expect((await varve.summary.get(asked))?.text).toBe(home);

    const { hits } = await varve.memory.search({ tenant, identifiers, query });
    const holding = hits.filter(({ outdated }) => !outdated);
    expect(holding.map(({ text }) => text)).toContain(home);
    expect(holding.map(({ text }) => text)).not.toContain(joke);

    const context = await varve.context.assemble({ tenant, identifiers, query });
    expect(context.text).toContain(`${joke} (earlier)`);
    expect(context.text).not.toContain(`${home} (earlier)`);
  });

  test('the old memory holds again as it was, and keeps its source and expiry', async () => {
    const tenant = newTenant();
    const { varve } = library();
    const [first = '', second = '', third = ''] = DAYS;
    const home = { content: 'I live in Leeds.', at: first, expiresAt: '2031-01-01T00:00:00Z' };
    const { memory } = await varve.memory.add({ tenant, identifiers, layer: 'user', ...home });
    const messages = [
      { id: 'm1', role: 'user', content: 'I moved to Porto.', at: second },
      { id: 'm2', role: 'user', content: 'Kidding, I did not move to Porto.', at: third },
    ] as const;
    const { results } = await varve.memory.addMessages({
      tenant,
      identifiers,
      messages: [...messages],
    });
    const [moved, denied] = results;
    expect(moved?.supersedes).toEqual([memory.id]);
    expect(denied).toMatchObject({ event: 'SUPERSEDE', source: 'm2', supersedes: [moved?.id] });
    const again = await varve.memory.get({ tenant, id: memory.id });
    expect(again).toMatchObject({
      content: home.content,
      state: 'active',
      validTo: null,
      supersededBy: null,
      expiresAt: Date.parse(home.expiresAt),
      origin: memory.origin,
    });
    const repeated = await varve.memory.addMessages({
      tenant,
      identifiers,
      messages: [...messages],
    });
    expect(repeated.results.filter(({ event }) => event !== 'NOOP')).toEqual([]);
  });
});
