import path from 'node:path';
import { describe, expect, it } from 'vitest';

import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import type { Store } from '#core/ports/store.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';
import { memoryOf, NOW, rulesAt, userScope } from '#test/conformance/samples.ts';
import { byWords } from '#test/conformance/search-samples.ts';
import { OPENING, temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

const SCOPE = userScope('acme');
/** More than are analyzed in one transaction. */
const MANY = 450;

/** Finds `garden` in every text; counts the texts in `seen`. */
function otherAnalyzer(seen: { texts: number }): TextAnalyzer {
  const terms = OPENING.analyzer.terms('garden');
  return {
    revision: 'another',
    terms() {
      seen.texts += 1;
      return terms;
    },
  };
}

async function withFilled(use: (file: string) => Promise<void>): Promise<void> {
  await using temporary = await temporaryFolder();
  const file = path.join(temporary.folder, 'varve.db');
  {
    await using store = await openSqliteStore({ file, ...OPENING });
    const add = (n: number) => store.memories.add(memoryOf('acme', n), rulesAt(NOW));
    await Promise.all(Array.from({ length: MANY }, (_, n) => add(n)));
  }
  await use(file);
}

async function idsFound(store: Store, query: string): Promise<number> {
  const found = await store.memories.search(SCOPE, byWords(query, { limit: MANY }));
  return found.candidates.length;
}

describe('a file that an earlier analyzer wrote', () => {
  it('SCHEMA-8: is analyzed in chunks, and the next process continues after a crash', () =>
    withFilled(async (file) => {
      let commits = 0;
      const faults = {
        beforeStatement: () => undefined,
        afterCommit() {
          commits += 1;
          throw new Error('The process died here.');
        },
      };
      const seen = { texts: 0 };
      const opening = { file, ...OPENING, analyzer: otherAnalyzer(seen) };
      await expect(openSqliteStore({ ...opening, faults })).rejects.toThrow('died here');
      expect(seen.texts).toBeLessThan(MANY);
      await using store = await openSqliteStore(opening);
      expect(commits).toBe(1);
      expect(seen.texts).toBe(MANY);
      expect(await idsFound(store, 'garden')).toBe(MANY);
    }));

  it('SCHEMA-8: is analyzed again only once', () =>
    withFilled(async (file) => {
      const seen = { texts: 0 };
      const analyzer = otherAnalyzer(seen);
      for (const expected of [MANY, 0]) {
        seen.texts = 0;
        await using store = await openSqliteStore({ file, ...OPENING, analyzer });
        expect(seen.texts).toBe(expected);
        expect(await idsFound(store, 'garden')).toBe(MANY);
      }
    }));
});
