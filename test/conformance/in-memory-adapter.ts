/** The in-memory store as the conformance suites see it: contents that outlive it, and death. */
import { emptyContents } from '#providers/in-memory/rows.ts';
import { openInMemoryStore } from '#providers/in-memory/store.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { createPlatform } from '#providers/node/platform.ts';

import type { Opened } from './adapter.ts';
import { openMortal } from './mortal-store.ts';
import { mortality } from './mortality.ts';
import { NOW } from './samples.ts';

export async function openInMemory(): Promise<Opened> {
  const contents = emptyContents();
  const mortal = mortality();
  const faults = { beforeWrite: mortal.takeStep, afterCommit: mortal.takeStep };
  // Time stands still, so that two runs leave the same records behind.
  const platform = { ...createPlatform(), clock: () => NOW };
  const analyzer = createTextAnalyzer();
  const open = () => openInMemoryStore({ platform, analyzer, contents, faults });
  return openMortal({
    open,
    mortal,
    dump: async () =>
      Object.fromEntries(
        Object.entries(contents).map(([name, rows]) => {
          const entries: readonly (readonly [string, unknown])[] = [...rows];
          return [name, entries.toSorted(([a], [b]) => (a < b ? -1 : 1))];
        }),
      ),
    raw: async () => JSON.stringify(Object.values(contents).map((rows) => [...rows])),
    // At least one change, its commit, and the moment after it.
    traits: { transactions: true, versionsPerWrite: 1, stepsMin: 3 },
    remove: async () => undefined,
  });
}
