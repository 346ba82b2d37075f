/** The suite of the keyword leg of a search: words of any script, and hostile text. */
import { describe, expect, it } from 'vitest';

import { sharedStore, type Open } from './adapter.ts';
import { memoryOf, idOf, NOW, rulesAt, userScope } from './samples.ts';
import { addAll, byWords, found } from './search-samples.ts';

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

  it.each(HOSTILE_TEXTS)('STORE-62: %j is stored and found like any other text', async (text) => {
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

  it('a memory with more words of the query, or rarer ones, scores higher', async () => {
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

  it('a query without words, or with unknown words, finds nothing', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    for (const words of ['', 'zebra', '!!!']) {
      expect(await found(store, userScope(tenant), byWords(words))).toEqual([]);
    }
  });

  it('STORE-63: the rarity of a word depends on its scope only', async () => {
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

/** A content that a query in words has to find. */
interface WordCase {
  readonly content: string;
  readonly query: string;
}

const WORD_CASES: readonly (readonly [string, WordCase])[] = [
  ['a word finds itself', { content: 'A zebra sleeps.', query: 'zebra' }],
  ['a word finds its other forms', { content: 'She was gardening.', query: 'garden' }],
  ['a word is found regardless of case', { content: 'The ZEBRA sleeps.', query: 'zebra' }],
  ['a Chinese word is found in a sentence', { content: '我们明天讨论预算问题', query: '预算' }],
  ['a Japanese word is found in a sentence', { content: '次の会議で予算を決める', query: '会議' }],
  [
    'a Korean word is found in a sentence',
    { content: '다음 회의에서 예산을 결정한다', query: '예산' },
  ],
  ['an emoji is found', { content: 'Launch went well 🚀🎉', query: '🚀' }],
  ['an Arabic word is found', { content: 'موعد الاجتماع غدا', query: 'الاجتماع' }],
  ['a Hebrew word is found', { content: 'הפגישה תתקיים מחר', query: 'הפגישה' }],
  [
    'an accent is found in either of its two encodings',
    { content: 'Cafe\u0301 Zoë', query: 'Café' },
  ],
  ['an identifier is found by its parts', { content: 'Set userId first.', query: 'user id' }],
  ['an identifier is found by itself', { content: 'Set userId first.', query: 'userId' }],
  ['a name with underscores is found', { content: 'See max_retry_count.', query: 'retry count' }],
  ['a number is found', { content: 'Invoice 2026-4711 is open.', query: '4711' }],
];

/** What a query language, a shell or a page would act on. */
const HOSTILE_TEXTS: readonly string[] = [
  '"unclosed AND (NEAR/2',
  'a* OR b* NOT c',
  'content:secret^2 -minus +plus',
  "'; DROP TABLE memories; --",
  '{"$where": "sleep(1000)"}',
  '$ne',
  '%_\\',
  '[[]] ?? ** .*',
  '<script>alert(1)</script>',
  '__proto__ constructor toString',
  '\u202Etxet desrever',
  'zero\u200Bwidth',
];
