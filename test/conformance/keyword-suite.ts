/** The suite of the keyword leg of a search: words of any script, and text that means harm. */
import { describe, expect, it } from 'vitest';

import { sharedStore, type Open } from './adapter.ts';
import { memoryOf, idOf, NOW, rulesAt, userScope } from './samples.ts';
import { addAll, byWords, found } from './search-samples.ts';
import { HOSTILE_TEXTS, WORD_CASES } from './search-texts.ts';

export function keywordSuite(open: Open): void {
  describe('search: keyword leg', () => {
    wordSuite(open);
  });
}

function wordSuite(open: Open): void {
  const fixture = sharedStore(open);

  it.each(WORD_CASES)('%s', async (_, { content, query }) => {
    const { store, tenant } = fixture();
    const others = ['Something else entirely.', 'Noch etwas anderes.', '別の話', 'شيء آخر'];
    await addAll(
      store,
      [content, ...others].map((each, at) => memoryOf(tenant, at, { content: each })),
    );
    expect(await found(store, userScope(tenant), byWords(query))).toContain(idOf(0));
  });

  it.each(HOSTILE_TEXTS)('STORE-62: %j is a text like any other', async (text) => {
    const { store, tenant } = fixture();
    const memory = memoryOf(tenant, 1, {
      content: `${text} zebra`,
      tags: [text],
      metadata: { text },
    });
    await store.memories.add(memory, rulesAt(NOW));
    await store.memories.add(memoryOf(tenant, 2), rulesAt(NOW));
    const scope = userScope(tenant);
    expect(await found(store, scope, byWords(`${text} zebra`))).toContain(idOf(1));
    const conditions = { tags: [text], filter: { field: 'text', eq: text } };
    const narrow = byWords('zebra', { conditions });
    expect(await found(store, scope, narrow)).toEqual([idOf(1)]);
    expect(await store.memories.get(tenant, idOf(1))).toEqual(memory);
    expect(await found(store, userScope(tenant, text), byWords('zebra'))).toEqual([]);
  });

  it('more of the words, and rarer ones, score higher; the score is a share', async () => {
    const { store, tenant } = fixture();
    const texts = ['red apple pie', 'apple tart', 'apple juice', 'apple cake', 'green pear'];
    await addAll(
      store,
      texts.map((content, at) => memoryOf(tenant, at, { content })),
    );
    const { candidates } = await store.memories.search(userScope(tenant), byWords('red apple'));
    const scores = new Map(candidates.map(({ memory, keyword }) => [memory.id, keyword ?? 0]));
    for (const score of scores.values()) {
      expect(score).toBeGreaterThan(0);
      expect(score).toBeLessThanOrEqual(1);
    }
    expect(Math.max(...scores.values())).toBe(scores.get(idOf(0)));
    expect(scores.has(idOf(4))).toBe(false);
    const cosines = candidates.map(({ cosine }) => cosine);
    expect(cosines).toEqual(candidates.map(() => null));
  });

  it('no word, or words that nothing has, bring nothing', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    for (const words of ['', 'zebra', '!!!']) {
      expect(await found(store, userScope(tenant), byWords(words))).toEqual([]);
    }
  });

  it("STORE-63: how rare a word is, is a matter of its scope and of nobody else's", async () => {
    const { store, tenant } = fixture();
    const contents = ['zebra one', 'lion two', 'lion three'];
    const fill = (scopeId: string, from: number, more: readonly string[]) =>
      addAll(
        store,
        [...contents, ...more].map((content, at) =>
          memoryOf(tenant, from + at, { content, scopeId }),
        ),
      );
    await fill('ann', 0, []);
    const query = byWords('zebra lion');
    const scores = async (scopeId: string) =>
      (await store.memories.search(userScope(tenant, scopeId), query)).candidates
        .toSorted((a, b) => (a.memory.id < b.memory.id ? -1 : 1))
        .map(({ keyword }) => keyword);
    const alone = await scores('ann');
    await fill(
      'bob',
      100,
      Array.from({ length: 50 }, (_, n) => `zebra ${n}`),
    );
    expect(await scores('ann')).toEqual(alone);
  });
}
