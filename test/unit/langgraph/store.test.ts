/** One suite over LangGraph's own store and ours: what a graph relies on. */
import {
  Annotation,
  END,
  InMemoryStore,
  START,
  StateGraph,
  type BaseStore,
  type LangGraphRunnableConfig,
  type Operation,
} from '@langchain/langgraph';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTENT_LENGTH_MAX } from '#core/records/memory.ts';
import { VarveStore, type StoreMemory } from '#langgraph/store/varve-store.ts';
import {
  failureOf,
  newTenant,
  openLibrary,
  type Library,
} from '#test/unit/library/open-library.ts';

let library: Library;
let stores = 0;
beforeAll(async () => {
  library = await openLibrary();
});
afterAll(() => library[Symbol.asyncDispose]());

/** Each store has a scope of its own. */
function openStore(agentId = `agent-${String((stores += 1))}`): VarveStore {
  const { memory } = library.varve;
  return new VarveStore({ memory, tenant: 'acme', identifiers: { agentId } });
}

const KINDS: readonly (readonly [string, () => BaseStore])[] = [
  ['InMemoryStore', () => new InMemoryStore()],
  ['VarveStore', () => openStore()],
];

function inItself(): object {
  const value: Record<string, unknown> = {};
  value['tea'] = value;
  return value;
}

function keysOf(items: readonly { readonly key: string }[]): readonly string[] {
  return items.map(({ key }) => key).toSorted();
}

describe.each(KINDS)('a store of LangGraph: %s', (_, open) => {
  test('returns an item that was put, and null for others', async () => {
    const store = open();
    const value = {
      text: 'Ann likes tea',
      tags: ['a', 'b'],
      deep: { n: 1.5, none: null, ok: true },
    };
    expect(await store.put(['users', 'ann'], 'prefs', value)).toBeUndefined();
    const item = await store.get(['users', 'ann'], 'prefs');
    expect(item).toMatchObject({ namespace: ['users', 'ann'], key: 'prefs', value });
    expect(item?.createdAt).toBeInstanceOf(Date);
    expect(item?.updatedAt).toBeInstanceOf(Date);
    expect(await store.get(['users', 'ann'], 'other')).toBeNull();
    expect(await store.get(['users', 'bo'], 'prefs')).toBeNull();
  });

  test('overwrites an item, keeps its creation date, and deletes it', async () => {
    const store = open();
    await store.put(['n'], 'k', { a: 1, b: 2 });
    const first = await store.get(['n'], 'k');
    const createdAt = first?.createdAt.getTime();
    await store.put(['n'], 'k', { a: 2 });
    const second = await store.get(['n'], 'k');
    expect(second?.value).toEqual({ a: 2 });
    expect(second?.createdAt.getTime()).toBe(createdAt);
    // The same words, of another value.
    await store.put(['n'], 'k', { a: '2' });
    expect((await store.get(['n'], 'k'))?.value).toEqual({ a: '2' });
    expect(await store.delete(['n'], 'k')).toBeUndefined();
    expect(await store.get(['n'], 'k')).toBeNull();
    await store.delete(['n'], 'k');
    await store.put(['n'], 'k', { a: 3 });
    expect((await store.get(['n'], 'k'))?.value).toEqual({ a: 3 });
  });

  test('keeps the same text under two keys apart', async () => {
    const store = open();
    await store.put(['n'], 'a', { text: 'same' });
    await store.put(['n'], 'b', { text: 'same' });
    await store.put(['m'], 'a', { text: 'same' });
    await store.delete(['n'], 'a');
    expect(keysOf(await store.search(['n']))).toEqual(['b']);
    expect(await store.get(['m'], 'a')).not.toBeNull();
  });

  test('accepts keys and values with any characters', async () => {
    const store = open();
    const odd = ['a.b:c/d', 'emoji 😀', '__proto__', ' ', 'ключ', '$where'];
    for (const key of odd) await store.put(['odd'], key, { key, 'a.b': 1, $set: 2, empty: '' });
    for (const key of odd) {
      expect((await store.get(['odd'], key))?.value).toEqual({ key, 'a.b': 1, $set: 2, empty: '' });
    }
    expect(await store.search(['odd'])).toHaveLength(odd.length);
  });

  test('searches a prefix of whole labels, and an empty prefix means everything', async () => {
    const store = open();
    await store.put(['users', 'ann'], '1', { n: 1 });
    await store.put(['users', 'ann', 'work'], '2', { n: 2 });
    await store.put(['users', 'anna'], '3', { n: 3 });
    await store.put(['teams'], '4', { n: 4 });
    expect(keysOf(await store.search(['users', 'ann']))).toEqual(['1', '2']);
    expect(keysOf(await store.search(['users']))).toEqual(['1', '2', '3']);
    expect(keysOf(await store.search([]))).toEqual(['1', '2', '3', '4']);
    expect(await store.search(['ann'])).toEqual([]);
  });

  test('filters fields by equality and by every operator', async () => {
    const store = open();
    const colors = ['red', 'blue', 'red', 'green'];
    for (const [n, color] of colors.entries()) await store.put(['f'], String(n), { n, color });
    const found = async (filter: Record<string, unknown>) =>
      keysOf(await store.search(['f'], { filter }));
    expect(await found({ color: 'red' })).toEqual(['0', '2']);
    expect(await found({ color: 'red', n: 2 })).toEqual(['2']);
    expect(await found({ color: { $eq: 'blue' } })).toEqual(['1']);
    expect(await found({ color: { $ne: 'red' } })).toEqual(['1', '3']);
    expect(await found({ n: { $gt: 1 } })).toEqual(['2', '3']);
    expect(await found({ n: { $gte: 1, $lt: 3 } })).toEqual(['1', '2']);
    expect(await found({ n: { $lte: 0 } })).toEqual(['0']);
    expect(await found({ color: { $in: ['blue', 'green'] } })).toEqual(['1', '3']);
    expect(await found({ color: { $nin: ['red'] } })).toEqual(['1', '3']);
    expect(await found({ missing: 'x' })).toEqual([]);
  });

  test('pages by limit and offset, with ten by default', async () => {
    const store = open();
    const puts = Array.from({ length: 14 }, (_each, at) => ({
      namespace: ['p'],
      key: String(at).padStart(2, '0'),
      value: { at },
    }));
    await store.batch(puts);
    expect(await store.search(['p'])).toHaveLength(10);
    const pages = [
      ...(await store.search(['p'], { limit: 6 })),
      ...(await store.search(['p'], { limit: 6, offset: 6 })),
      ...(await store.search(['p'], { limit: 6, offset: 12 })),
    ];
    expect(keysOf(pages)).toEqual(puts.map(({ key }) => key));
    expect(await store.search(['p'], { offset: 20 })).toEqual([]);
  });

  test('answers a query with every item', async () => {
    const store = open();
    await store.put(['q'], 'tea', { text: 'Ann drinks green tea in the morning' });
    await store.put(['q'], 'bike', { text: 'Bo repairs bicycles' });
    expect(keysOf(await store.search(['q'], { query: 'what does Ann drink' }))).toEqual([
      'bike',
      'tea',
    ]);
    const filter = { text: 'Bo repairs bicycles' };
    expect(keysOf(await store.search(['q'], { query: 'tea', filter }))).toEqual(['bike']);
  });

  test('lists namespaces by prefix, suffix, wildcard, depth and page', async () => {
    const store = open();
    const spaces = [
      ['a', 'x', 'v1'],
      ['a', 'x', 'v2'],
      ['a', 'y', 'v1'],
      ['b', 'z'],
    ];
    for (const namespace of spaces) await store.put(namespace, 'k', { n: 1 });
    await store.put(['a', 'x', 'v1'], 'again', { n: 2 });
    expect(await store.listNamespaces()).toEqual(spaces);
    expect(await store.listNamespaces({ prefix: ['a', 'x'] })).toEqual(spaces.slice(0, 2));
    expect(await store.listNamespaces({ suffix: ['v1'] })).toEqual([spaces[0], spaces[2]]);
    expect(await store.listNamespaces({ prefix: ['a', '*', 'v1'] })).toEqual([
      spaces[0],
      spaces[2],
    ]);
    expect(await store.listNamespaces({ maxDepth: 2 })).toEqual([
      ['a', 'x'],
      ['a', 'y'],
      ['b', 'z'],
    ]);
    expect(await store.listNamespaces({ limit: 1, offset: 1 })).toEqual([spaces[1]]);
  });

  test('reads of a batch see the state before its writes, and the last write wins', async () => {
    const store = open();
    await store.put(['b'], 'k', { n: 1 });
    const results = await store.batch([
      { namespace: ['b'], key: 'new', value: { n: 2 } },
      { namespace: ['b'], key: 'new' },
      { namespacePrefix: ['b'] },
      { namespace: ['b'], key: 'new', value: { n: 3 } },
      { namespace: ['b'], key: 'k', value: null },
    ]);
    expect(results[1]).toBeNull();
    expect(results[2]).toHaveLength(1);
    expect((await store.get(['b'], 'new'))?.value).toEqual({ n: 3 });
    expect(await store.get(['b'], 'k')).toBeNull();
  });

  test('refuses invalid namespaces', async () => {
    const store = open();
    for (const namespace of [[], [''], ['a.b'], ['a:b'], ['a\0'], ['langgraph']]) {
      await expect(store.put(namespace, 'k', { n: 1 })).rejects.toThrow(/namespace/iu);
    }
    const unchecked = [{ namespace: ['a:b'], key: 'k', value: { n: 1 } }];
    await expect(store.batch(unchecked)).rejects.toThrow(/namespace/iu);
  });

  test('serves the nodes of a graph', async () => {
    const store = open();
    const State = Annotation.Root({ said: Annotation<string>, known: Annotation<string[]> });
    const graph = new StateGraph(State)
      .addNode('learn', async ({ said }, config: LangGraphRunnableConfig) => {
        await config.store?.put(['ann', 'memories'], said, { text: said });
        const items = (await config.store?.search(['ann', 'memories'])) ?? [];
        return { known: items.map(({ value }) => String(value['text'])) };
      })
      .addEdge(START, 'learn')
      .addEdge('learn', END)
      .compile({ store });
    await graph.invoke({ said: 'tea' });
    const { known } = await graph.invoke({ said: 'milk' });
    expect(known.toSorted()).toEqual(['milk', 'tea']);
  });
});

describe('the store over Varve', () => {
  test('ranks by the text of items, with scores, also with a filter', async () => {
    const store = openStore();
    await store.put(['q'], 'bike', { text: 'Bo repairs bicycles in a workshop', who: 'bo' });
    await store.put(['q'], 'tea', { text: 'Ann drinks green tea in the morning', who: 'ann' });
    await store.put(['q'], 'rain', { text: 'It rained in Bern', who: 'ann' });
    const found = await store.search(['q'], { query: 'green tea in the morning' });
    expect(found[0]).toMatchObject({ key: 'tea' });
    expect(found[0]?.score).toBeGreaterThan(0.5);
    const filter = { who: 'ann' };
    const anns = await store.search(['q'], { query: 'who repairs bicycles', filter });
    expect(keysOf(anns)).toEqual(['rain', 'tea']);
    expect(await store.search(['q'], { query: ' ', filter })).toEqual(
      await store.search(['q'], { filter }),
    );
  });

  test.each([
    [{ berth: { $foo: 1 } }, 'filter.berth.$foo is no operator'],
    [{ berth: { $gtee: 1 } }, 'did you mean $gte?'],
    [{ kind: 'a', berth: { dock: 7 } }, 'filter.berth.dock is no operator'],
    [{ berth: [7] }, 'filter.berth.0 is no operator'],
    [{ berth: [] }, 'filter.berth is no operator'],
  ])('refuses a search by an unknown operator: %j', async (filter, message) => {
    await expect(openStore().search(['f'], { filter })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(message),
    });
  });

  test('does not find an item by text that is not indexed', async () => {
    const store = openStore();
    await store.put(['q'], 'one', { text: 'the launch is on Monday' }, false);
    await store.put(['q'], 'two', { title: 'launch', body: 'zebra crossing' }, ['title']);
    const [first] = await store.search(['q'], { query: 'launch on Monday' });
    expect(first?.key).toBe('two');
    await store.put(['q'], 'three', { text: 'crossing' });
    const [zebra] = await store.search(['q'], { query: 'zebra crossing' });
    expect(zebra?.key).toBe('three');
  });

  test.each<[string, object, string]>([
    ['a key', { namespace: ['n'], key: 5, value: {} }, 'key: expected a text, found 5.'],
    ['a value that is a text', { namespace: ['n'], key: 'k', value: 'tea' }, 'found "string".'],
    ['a value that is a list', { namespace: ['n'], key: 'k', value: ['tea'] }, 'found "array".'],
    ['a BigInt', { namespace: ['n'], key: 'k', value: { tea: 1n } }, 'that JSON can hold'],
    ['a value in itself', { namespace: ['n'], key: 'k', value: inItself() }, 'that JSON can hold'],
    ['a namespace', { namespace: 'n', key: 'k' }, 'namespace: expected a list of one label'],
    ['a query', { namespacePrefix: ['n'], query: {} }, 'query: expected a text, or none'],
    ['a limit', { namespacePrefix: [], limit: -1 }, 'limit: expected a whole number from 0'],
    ['an offset', { namespacePrefix: [], offset: 'b' }, 'offset: expected a whole number from 0'],
    ['a limit of namespaces', { limit: 1.5, offset: 0 }, 'limit: expected a whole number from 0'],
  ])('refuses a batch with %s of a wrong shape and writes none of it', async (...row) => {
    const [, operation, said] = row;
    const store = openStore();
    const batch = [{ namespace: ['n'], key: 'first', value: { n: 1 } }, operation as Operation];
    const failure = await failureOf(store.batch(batch));
    expect(failure).toMatchObject({ code: 'INVALID_INPUT' });
    expect(failure.message).toContain(said);
    expect(failure.message).not.toContain('tea');
    expect(await store.get(['n'], 'first')).toBeNull();
  });

  test('writes an item that another writer added first, as a client of an API reports', async () => {
    const { memory } = library.varve;
    const conflict = Object.assign(new Error('taken'), { code: 'CONFLICT' });
    conflict.name = 'VarveClientError';
    const raced: StoreMemory = {
      add: async (input) => {
        await memory.add(input);
        throw conflict;
      },
      update: (input) => memory.update(input),
      delete: (input) => memory.delete(input),
      list: (input) => memory.list(input),
      search: (input) => memory.search(input),
    };
    const scope = { tenant: 'acme', identifiers: { agentId: 'raced' } };
    const store = new VarveStore({ memory: raced, ...scope });
    await store.put(['n'], 'k', { n: 1 });
    expect((await store.get(['n'], 'k'))?.value).toEqual({ n: 1 });
  });

  test('writes nothing of a batch with a value that is too long', async () => {
    const store = openStore();
    const failure = await failureOf(
      store.batch([
        { namespace: ['n'], key: 'first', value: { n: 1 } },
        { namespace: ['n'], key: 'long', value: { text: 'y'.repeat(CONTENT_LENGTH_MAX) } },
      ]),
    );
    expect(failure).toMatchObject({ code: 'CONTENT_TOO_LONG' });
    expect(await store.get(['n'], 'first')).toBeNull();
  });

  test('keeps items of another scope closed under the same namespace', async () => {
    const mine = openStore('mine');
    const other = openStore('other');
    await mine.put(['users', 'ann'], 'k', { text: 'mine alone' });
    expect(await other.search([])).toEqual([]);
    expect(await other.search([], { query: 'mine alone' })).toEqual([]);
    expect(await other.get(['users', 'ann'], 'k')).toBeNull();
    await other.delete(['users', 'ann'], 'k');
    expect(await mine.get(['users', 'ann'], 'k')).not.toBeNull();
    expect(await other.listNamespaces()).toEqual([]);
  });

  test('ignores memories that no graph wrote', async () => {
    const store = openStore('shared');
    const identifiers = { agentId: 'shared' };
    const about = { tenant: 'acme', layer: 'agent', identifiers } as const;
    await library.varve.memory.add({ ...about, content: 'A memory of the agent.' });
    await store.put(['n'], 'k', { text: 'An item of the graph.' });
    expect(keysOf(await store.search([], { query: 'memory of the agent' }))).toEqual(['k']);
    expect(await store.listNamespaces()).toEqual([['n']]);
    // The other way round an item is a memory like any other, in words.
    const query = 'item of the graph';
    const { hits } = await library.varve.memory.search({ tenant: 'acme', identifiers, query });
    expect(hits.map(({ text }) => text)).toContain('An item of the graph.');
  });

  test('accepts values up to a length and refuses longer ones with CONTENT_TOO_LONG', async () => {
    const store = openStore();
    const long = { text: 'word '.repeat(5_000) };
    await store.put(['n'], 'long', long);
    expect((await store.get(['n'], 'long'))?.value).toEqual(long);
    await expect(store.put(['n'], 'k', { text: 'x'.repeat(40_000) })).rejects.toMatchObject({
      code: 'CONTENT_TOO_LONG',
    });
  });

  test('keeps one item after concurrent puts of one key', async () => {
    const store = openStore();
    await Promise.all([1, 2, 3].map((n) => store.put(['n'], 'k', { text: `number ${String(n)}` })));
    const items = await store.search(['n']);
    expect(items).toHaveLength(1);
  });
});

describe('an item that a conversation replaces', () => {
  async function openReplaced() {
    const { memory, conversation } = library.varve;
    const [tenant, identifiers] = [newTenant(), { userId: 'ann' }];
    const store = new VarveStore({ memory, tenant, identifiers, layer: 'user' });
    await store.put(['p'], 'home', { text: 'Ann lives in Lyon.' });
    await store.put(['p'], 'pet', { text: 'Ann has a dog called Rex.' });
    const session = { tenant, sessionId: 's' };
    const content = 'I moved from Lyon to Berlin.';
    const turns = [{ id: 't', role: 'user' as const, content }];
    await conversation.append({ ...session, identifiers, turns });
    const { results } = await conversation.flush(session);
    expect(results).toMatchObject([{ event: 'SUPERSEDE' }]);
    const undo = () => conversation.delete({ ...session, turnIds: ['t'] });
    return { store, undo };
  }

  const homesOf = async (store: VarveStore, query?: string) => {
    const found = await store.search(['p'], query === undefined ? {} : { query });
    return found.filter(({ key }) => key === 'home').map(({ value }) => value['text']);
  };

  test('is there until the graph changes it', async () => {
    const { store } = await openReplaced();
    expect((await store.get(['p'], 'home'))?.value).toEqual({ text: 'Ann lives in Lyon.' });
    expect(keysOf(await store.search(['p']))).toEqual(['home', 'pet']);
    const ranked = await store.search(['p'], { query: 'Where does Ann live?' });
    expect(ranked.map(({ key }) => key)).toEqual(['pet', 'home']);
    expect(ranked.at(-1)?.score).toBeUndefined();
  });

  test.each<[string, boolean]>([
    ['', false],
    [', also if what replaced it is deleted', true],
  ])('is once there after another put%s', async (_, isUndone) => {
    const { store, undo } = await openReplaced();
    await store.put(['p'], 'home', { text: 'Ann lives in Bern.' });
    if (isUndone) await undo();
    expect((await store.get(['p'], 'home'))?.value).toEqual({ text: 'Ann lives in Bern.' });
    expect(await homesOf(store)).toEqual(['Ann lives in Bern.']);
    expect(await homesOf(store, 'Where does Ann live?')).toEqual(['Ann lives in Bern.']);
    expect(await store.listNamespaces()).toEqual([['p']]);
    expect(await store.search(['p'], { limit: 2 })).toHaveLength(2);
  });

  test.each<[string, boolean, boolean]>([
    ['', false, false],
    [' after another put', true, false],
    [' and what replaced it', false, true],
    [' and what replaced it after another put', true, true],
  ])('is gone after a delete%s', async (_, isPut, isUndone) => {
    const { store, undo } = await openReplaced();
    if (isPut) await store.put(['p'], 'home', { text: 'Ann lives in Bern.' });
    await store.delete(['p'], 'home');
    if (isUndone) await undo();
    expect(await store.get(['p'], 'home')).toBeNull();
    expect(keysOf(await store.search(['p']))).toEqual(['pet']);
  });
});
