import { beforeAll, describe, expect, test } from 'vitest';
import type { Principal } from '#api/principal.ts';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const tenant = newTenant();
const identifiers = { userId: 'ann' };
const FIRST = Date.parse('2026-10-05T09:00:00Z');
const LATER = Date.parse('2026-11-09T09:00:00Z');

const search = (query: string, more: object = {}) =>
  library().varve.memory.search({ tenant, identifiers, query, at: LATER, ...more });

type Said = readonly [role: 'user' | 'assistant', content: string];

async function append(sessionId: string, said: readonly Said[], { at, userId = 'ann' }: Of) {
  await library().varve.conversation.append({
    tenant,
    sessionId,
    identifiers: { userId },
    turns: said.map(([role, content], minute) => ({ role, content, at: at + minute * 60_000 })),
  });
}

interface Of {
  readonly at: number;
  readonly userId?: string;
}

beforeAll(async () => {
  const { varve } = library();
  await append(
    'autumn',
    [
      ['user', 'My sister Clara plays the oboe in the orchestra of Graz.'],
      ['assistant', 'How often do they rehearse?'],
      ['user', 'Every Thursday evening.'],
    ],
    { at: FIRST },
  );
  await append('now', [['user', 'Let us plan the weekend.']], { at: LATER });
  await append('other', [['user', 'Clara, my sister, plays the tuba.']], {
    ...{ at: FIRST, userId: 'bob' },
  });
  await varve.memory.add({
    ...{ tenant, identifiers, layer: 'user', content: 'Ann is allergic to walnuts.' },
  });
  const subject = { kind: 'user', id: 'ann' } as const;
  const daily = { text: '- The dentist appointment moved to the 20th.' };
  await varve.daily.append({ tenant, subject, ...daily, at: LATER });
  const core = '- The spare key lies under the blue flowerpot.\n';
  await varve.document.edit({ tenant, subject, text: core, expectedVersion: 0 });
});

describe('memory.search over everything', () => {
  test('finds a turn of a past session, with its speaker, day and session', async () => {
    const { hits, nothingFound } = await search('Which instrument does Clara play?');
    expect(hits[0]).toMatchObject({
      source: 'turn',
      layer: 'session',
      at: FIRST,
      memory: null,
      turn: { sessionId: 'autumn', speaker: 'user', role: 'user', trust: 'stated' },
    });
    expect(hits[0]?.text).toContain('oboe');
    expect(nothingFound).toBeNull();
  });

  test('finds an answer by the words of the question before it', async () => {
    const { hits } = await search('How often do they rehearse?');
    expect(hits.map(({ text }) => text)).toContain('Every Thursday evening.');
  });

  test.each([
    ['memory', 'What is Ann allergic to?', 'walnuts'],
    ['line', 'Where is the spare key?', 'blue flowerpot'],
    ['line', 'When is the dentist appointment?', '20th'],
  ])('finds a %s: %s', async (source, query, word) => {
    const { hits } = await search(query);
    expect(hits[0]).toMatchObject({ source, text: expect.stringContaining(word) });
  });

  test.each([
    [
      'English',
      ['', ' please', ' now', ' today', ' again', ' for me', ' once more', ' as usual', ' quickly'],
      (tail: string) => `Check the bakery order for the team breakfast${tail}.`,
      'The bakery delivers until eleven, and its owner is called Ines.',
      'Who owns the bakery?',
    ],
    [
      'Chinese',
      ['', '好吗', '谢谢', '现在', '马上', '今天', '再来', '麻烦', '快点'],
      (tail: string) => `请帮我看一下面包店的早餐订单${tail}。`,
      '面包店老板叫王芳，他们送货到十一点。',
      '面包店老板叫什么名字？',
    ],
  ] as const)(
    'shows at most three near-duplicate turns before other turns: %s',
    async (_, tails, sayingOf, fact, query) => {
      const said = { tenant: newTenant(), identifiers: { userId: 'eva' } };
      const { conversation, context, memory } = library().varve;
      const contents = [fact, ...tails.map(sayingOf)];
      for (const [day, content] of contents.entries()) {
        const turns = [{ role: 'user' as const, content, at: FIRST + day * 86_400_000 }];
        await conversation.append({ ...said, sessionId: `s${String(day)}`, turns });
      }
      const { hits } = await memory.search({ ...said, query, threshold: 0.3, at: LATER });
      expect(hits.map(({ text }) => text)).toContain(fact);
      expect(hits.length).toBe(4);
      const { text } = await context.assemble({ ...said, query, maxTokens: 200, at: LATER });
      expect(text).toContain(fact);
    },
  );

  test('finds all turns that differ only in their numbers', async () => {
    const said = { tenant: newTenant(), identifiers: { userId: 'eva' } };
    const { conversation, memory } = library().varve;
    const values = [118, 121, 117, 125, 119];
    for (const [day, value] of values.entries()) {
      const content = `My blood pressure this morning was ${String(value)} over 80.`;
      const turns = [{ role: 'user' as const, content, at: FIRST + day * 86_400_000 }];
      await conversation.append({ ...said, sessionId: `s${String(day)}`, turns });
    }
    const { hits } = await memory.search({ ...said, query: 'blood pressure', at: LATER });
    expect(hits.length).toBe(values.length);
  });

  test('marks a turn and a memory that a later turn replaces', async () => {
    const said = { tenant: newTenant(), identifiers: { userId: 'eva' } };
    const { conversation, memory } = library().varve;
    for (const [content, at] of [
      ['I live in Porto.', FIRST],
      ['I moved to Braga last week, I live in Braga now.', LATER - 60_000],
    ] as const) {
      const turns = [{ role: 'user' as const, content, at }];
      await conversation.append({ ...said, sessionId: content.slice(0, 10), turns });
    }
    await memory.add({ ...said, layer: 'user', content: 'I live in Porto.', at: FIRST });
    const { hits } = await memory.search({ ...said, query: 'Where do I live?', at: LATER });
    expect(
      hits.map(({ source, text, outdated }) => [source, /Braga/u.test(text), outdated]),
    ).toEqual(
      expect.arrayContaining([
        ['memory', false, true],
        ['turn', false, true],
        ['turn', true, false],
      ]),
    );
  });

  test('finds what was said in a time that only the question names', async () => {
    const said = { tenant: newTenant(), identifiers: { userId: 'eva' } };
    const { conversation, memory } = library().varve;
    const day = 86_400_000;
    for (const [content, days] of [
      ['I bought a tent from Ada.', 18],
      ['I bought a bike from Tom.', 5],
      ['I bought shoes from Kim.', 0],
    ] as const) {
      const turns = [{ role: 'user' as const, content, at: LATER - days * day }];
      await conversation.append({ ...said, sessionId: content, turns });
    }
    await memory.add({ ...said, layer: 'user', content: 'Eva visited Gent.', at: LATER - 5 * day });
    const find = async (query: string) => {
      const { hits } = await memory.search({ ...said, query, at: LATER });
      return hits.map(({ text }) => text);
    };
    expect((await find('What did I buy last week?'))[0]).toBe('I bought a bike from Tom.');
    expect((await find('What did I buy today?'))[0]).toBe('I bought shoes from Kim.');
    expect(await find('Where did Eva visit last week?')).toContain('Eva visited Gent.');
  });

  test('shares its lines with the context', async () => {
    const query = 'Where is the spare key?';
    const { text } = await library().varve.context.assemble({ tenant, identifiers, query });
    expect(text).toContain('blue flowerpot');
  });

  test.each([
    'Which instrument does Clara play?',
    'How often do they rehearse?',
    'What is Ann allergic to?',
    'Where is the spare key?',
    'When is the dentist appointment?',
    'Clara sister Thursday dentist walnuts key',
  ])('finds nothing that a context leaves out: %s', async (query) => {
    const { hits } = await search(query);
    expect(hits).not.toEqual([]);
    const asked = { tenant, identifiers, query, at: LATER };
    const { receipt } = await library().varve.context.assemble(asked);
    const shown = receipt.filter(({ included }) => included).flatMap(({ sources }) => sources);
    expect(shown).toEqual(expect.arrayContaining(hits.map(({ id }) => id)));
  });

  test('never finds what another user said', async () => {
    const { hits } = await search('Clara sister plays', { threshold: 0, limit: 50 });
    expect(JSON.stringify(hits)).not.toContain('tuba');
  });

  test.each([
    ['sources', { sources: ['memory'] }],
    ['other layers', { layers: ['user'] }],
    ['tags', { tags: ['music'] }],
  ])('finds no turn if %s exclude turns', async (_, more) => {
    const { hits } = await search('Which instrument does Clara play?', { ...more, threshold: 0 });
    expect(hits.filter(({ source }) => source === 'turn')).toEqual([]);
  });

  test('finds an English word that is also a Spanish function word', async () => {
    const of = { userId: 'eve' };
    await append('family', [['user', 'My son Emil has turned nine.']], { ...of, at: FIRST });
    const { hits } = await search('Tell me about the son', { identifiers: of });
    expect(hits.map(({ text }) => text)).toContain('My son Emil has turned nine.');
  });

  test('names no memory anywhere in the answer if memories are excluded', async () => {
    const query = 'What is Ann allergic to?';
    const asked = { sources: ['turn', 'line'], threshold: 0, explain: true };
    const { hits, nearestMisses, duplicates, paths } = await search(query, asked);
    expect(hits.map(({ source }) => source)).not.toContain('memory');
    expect({ duplicates, paths }).toEqual({ duplicates: [], paths: [] });
    const { hits: all } = await search(query, { sources: ['memory'], threshold: 0 });
    const ids = new Set(all.map(({ id }) => id));
    expect(nearestMisses.filter(({ id }) => ids.has(id))).toEqual([]);
  });

  test('no longer finds a deleted turn', async () => {
    const { varve } = library();
    await append('gone', [['user', 'The safe combination is 48213.']], { at: FIRST });
    const query = 'What is the safe combination?';
    const turnId = (await search(query)).hits[0]?.id ?? '';
    await varve.conversation.delete({ tenant, sessionId: 'gone', turnIds: [turnId] });
    expect(JSON.stringify((await search(query, { threshold: 0 })).hits)).not.toContain('48213');
  });

  const OF_USER = [{ layer: 'user', id: 'ann', memories: 1 }];
  const OF_BOB = expect.arrayContaining([{ layer: 'user', id: 'bob' }]) as unknown;
  const BOUND: Principal = { name: 'ann', tenants: 'all', bound: identifiers, role: 'write' };
  test.each([
    ['a search of a user', {}, {}, [OF_USER, 2, 2, OF_BOB]],
    ['a search by a caller bound to the user', {}, { principal: BOUND }, [OF_USER, 2, 2, []]],
    [
      'a search by a caller limited to two layers',
      {},
      { principal: { ...BOUND, bound: {}, layers: ['user', 'project'] as const } },
      [OF_USER, 0, 2, []],
    ],
    ['a search of turns only', { sources: ['turn'] as ['turn'] }, {}, [[], 2, 0, OF_BOB]],
    ['a search of one layer', { layers: ['user'] as ['user'] }, {}, [OF_USER, 0, 2, []]],
    [
      'a search in a session without memories',
      { identifiers: { ...identifiers, sessionId: 'now' } },
      {},
      [OF_USER, 2, 2, OF_BOB],
    ],
  ])('%s that finds nothing says what it read and where more is stored', async (...row) => {
    const [, more, options, [scopes, sessions, lines, elsewhere]] = row;
    await using varve = await library().open(options);
    const query = 'quantum chromodynamics';
    const found = await varve.memory.search({
      ...{ tenant, identifiers, query, at: LATER },
      ...more,
    });
    expect(found.hits).toEqual([]);
    const nothing = { scopes, sessions, lines, elsewhere, moreIdentifiers: [] };
    expect(found.nothingFound).toMatchObject(nothing);
    expect(found.nothingFound?.nearestScore).toBe(found.nearestMisses[0]?.score ?? null);
  });

  const PINO = { layer: 'project', id: 'pino' };
  const OF_LIN = { layer: 'user', id: 'lin' };
  const PROJECT = { projectId: 'default' };
  const OF_OTHER: Principal = { ...BOUND, bound: { userId: 'other' } };
  const ONE_LAYER: Principal = { ...BOUND, bound: {}, layers: ['user'] };
  test.each([
    ['anybody who names another project', PROJECT, {}, [['userId'], [OF_LIN, PINO]]],
    ['anybody who names the user', { userId: 'lin' }, {}, [['projectId'], [PINO]]],
    ['a caller bound to another user', {}, { principal: OF_OTHER }, [['projectId'], []]],
    ['a caller limited to one layer', {}, { principal: ONE_LAYER }, [[], []]],
  ])('a search by %s names only identifiers that open data', async (...row) => {
    const [, named, options, [moreIdentifiers, elsewhere]] = row;
    const own = newTenant();
    const { varve } = library();
    const content = 'The logger is called pino.';
    const project = { identifiers: { projectId: 'pino' }, layer: 'project' as const };
    await varve.memory.add({ tenant: own, ...project, content });
    const turns = [{ role: 'user' as const, content: 'Hello.' }];
    const session = { sessionId: 's', identifiers: { userId: 'lin' }, turns };
    await varve.conversation.append({ tenant: own, ...session });
    await using reader = await library().open(options);
    const query = 'quantum chromodynamics';
    const found = await reader.memory.search({ tenant: own, identifiers: named, query });
    expect(found.nothingFound).toMatchObject({ moreIdentifiers, elsewhere });
  });

  test.each([
    ['the key that its author set', { key: 'allergies' }, 'allergies'],
    ['no key if equal texts are stored once', { deduplicate: 'Exact' as const }, null],
    ['no key if it has none', {}, null],
  ])('the receipt of a context names a memory by its id and %s', async (_, given, key) => {
    const own = newTenant();
    const { varve } = library();
    const content = 'Ann is allergic to walnuts.';
    const added = await varve.memory.add({
      ...{ tenant: own, identifiers, layer: 'user', content, ...given },
    });
    const query = 'What is Ann allergic to?';
    const { receipt } = await varve.context.assemble({ tenant: own, identifiers, query });
    const line = receipt.find(({ kind }) => kind === 'relatedEntity');
    expect(line).toMatchObject({ id: added.memory.id, key, included: true });
  });
});

test('a memory that a later turn ends comes after that turn, even without matching words', async () => {
  const { varve } = library();
  const of = { tenant: newTenant(), identifiers: { userId: 'ann' } };
  const says = (sessionId: string, content: string, at: number) =>
    varve.conversation.append({ ...of, sessionId, turns: [{ role: 'user', content, at }] });
  await says('one', 'I live in Lyon.', FIRST);
  await varve.conversation.flush({ tenant: of.tenant, sessionId: 'one' });
  await says('two', 'I moved to Nice last week.', LATER);
  const { hits } = await varve.memory.search({ ...of, query: 'Where do I live?' });
  expect(hits.map(({ source, text, outdated }) => [source, text, outdated])).toEqual([
    ['turn', 'I moved to Nice last week.', false],
    ['memory', 'I live in Lyon.', true],
  ]);
});

test('a replacement beyond the limit is found by its session, though sessions share turn ids', async () => {
  const { varve } = library();
  const of = { tenant: newTenant(), identifiers: { userId: 'ann' } };
  const says = (sessionId: string, content: string, at: number) =>
    varve.conversation.append({
      ...of,
      sessionId,
      turns: [{ id: 't0', role: 'user', content, at }],
    });
  await says('one', 'I live in Lyon.', FIRST);
  await varve.conversation.flush({ tenant: of.tenant, sessionId: 'one' });
  await says('other', 'Where people live is a matter of taste.', FIRST + 1);
  await says('two', 'I moved to Nice last week.', LATER);
  const { hits } = await varve.memory.search({ ...of, query: 'Where do I live?', limit: 1 });
  expect(hits.map(({ text, outdated }) => [text, outdated])).toEqual([
    ['I moved to Nice last week.', false],
  ]);
});

test('a line of a file comes after the turn that replaces it, in either order', async () => {
  const { varve } = library();
  const of = { tenant: newTenant(), identifiers: { userId: 'ann' } };
  const subject = { kind: 'user' as const, id: 'ann' };
  await varve.daily.append({ tenant: of.tenant, subject, text: 'I live in Lyon.', at: FIRST });
  const turns = [{ role: 'user' as const, content: 'I moved to Nice last week.', at: LATER }];
  await varve.conversation.append({ ...of, sessionId: 'two', turns });
  for (const order of ['precedence', 'relevance'] as const) {
    const { hits } = await varve.memory.search({ ...of, query: 'Where do I live?', order });
    expect(hits.map(({ source, outdated }) => [source, outdated])).toEqual([
      ['turn', false],
      ['line', true],
    ]);
  }
});

test('a late turn ends nothing that was said after its time', async () => {
  const { varve } = library();
  const of = { tenant: newTenant(), identifiers: { userId: 'ann' } };
  for (const [content, at] of [
    ['I moved to Nice last week.', LATER],
    ['I live in Lille.', FIRST],
  ] as const) {
    const turns = [{ role: 'user' as const, content, at }];
    await varve.conversation.append({ ...of, sessionId: 'one', turns });
  }
  const { hits } = await varve.memory.search({ ...of, query: 'Where do I live?' });
  expect(hits.map(({ text, outdated }) => [text, outdated])).toEqual([
    ['I moved to Nice last week.', false],
    ['I live in Lille.', true],
  ]);
});
