/**
 * A process that writes, deletes and searches until it is killed, and stores its index all the
 * time. It prints a line for each search.
 */
import { seeded } from '#bench/search/made-up-memories.ts';
import { byWords } from '#test/conformance/search-samples.ts';
import { memoryOf, userScope } from '#test/conformance/samples.ts';

import { openFile, remove, write, type Kept } from './search-fixture.ts';

const [file = '', seed = '0'] = process.argv.slice(2);
const MEMORIES = 3_000;
const AT_ONCE = 250;
const WORDS = ['tea', 'oak', 'sun', 'ice', 'map', 'red', 'owl', 'fig'];

const random = seeded(Number(seed));
const below = (end: number): number => Math.floor(random() * end);
const { connection, search } = await openFile({
  file,
  keeping: { keptEntriesMin: 1, keepAfterMs: 1 },
});

function anyMemory(): Kept {
  const angle = random() * 6;
  const length = 1 + below(2);
  return {
    memory: memoryOf('acme', below(MEMORIES), { tags: random() < 0.1 ? ['rare'] : [] }),
    terms: Array.from({ length: below(5) }, () => WORDS[below(WORDS.length)] ?? ''),
    vectors: [
      { generation: 'g1', vector: [length * Math.cos(angle), length * Math.sin(angle), 0] },
    ],
  };
}

for (;;) {
  await write(connection, Array.from({ length: AT_ONCE }, anyMemory));
  for (let n = 0; n < 10; n += 1) await remove(connection, anyMemory().memory);
  const { compared } = await search.search(userScope('acme'), byWords('tea'));
  process.stdout.write(`${String(compared)}\n`);
}
