/**
 * One of several processes on one scope in MongoDB: each of its writers adds, changes and deletes
 * memories, and prints what it did once the promise has resolved.
 */
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { openMongoStore } from '#providers/mongodb/store.ts';
import { createPlatform } from '#providers/node/platform.ts';

import { memoryOf, newContent, NOW, rulesAt } from './samples.ts';

const ADDS = 15;

const [uri = '', database = '', tenant = '', first = '0', writers = '1'] = process.argv.slice(2);

const opening = { platform: createPlatform(), analyzer: createTextAnalyzer() };
await using store = await openMongoStore({ uri, database, ...opening });

async function write(writer: number): Promise<void> {
  for (let n = 0; n < ADDS; n += 1) {
    const memory = memoryOf(tenant, Number(first) + writer * ADDS + n);
    const { id } = memory;
    await store.memories.add(memory, rulesAt(NOW));
    process.stdout.write(`added ${id}\n`);
    if (n % 3 === 0) {
      await store.memories.delete({ tenant, id }, rulesAt(NOW));
      process.stdout.write(`deleted ${id}\n`);
    }
    if (n % 3 === 1) {
      const content = newContent(`Changed to ${String(n)}.`);
      await store.memories.update({ tenant, id }, { content }, rulesAt(NOW));
    }
  }
}

await Promise.all(Array.from({ length: Number(writers) }, (_, writer) => write(writer)));
