/** Measures how much memory something keeps of the texts that passed through it. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Each text has words enough to be worth keeping, and one word that no other has. */
const TEXTS = 200;
const COMMON = 'the quick brown fox jumps over it. '.repeat(2_800);

/** What the texts take together, in bytes: a thing that keeps them keeps this much. */
export const TEXT_BYTES = TEXTS * COMMON.length;

/** Bytes kept of texts once `use` has seen all of them and nothing else refers to them. */
export async function keptBytes(use: (text: string) => unknown): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // What is set up once, by the first text, is not kept of the others.
  await use(COMMON);
  collect();
  const before = getHeapStatistics().used_heap_size;
  for (let n = 0; n < TEXTS; n += 1) await use(textWith(ownWord(n)));
  collect();
  return getHeapStatistics().used_heap_size - before;
}

/** Read from bytes, as texts come from a store: one flat string, and not joined of two. */
function textWith(word: string): string {
  return Buffer.from(`${word} ${COMMON}`).toString('utf8');
}

/** Sixteen letters; of a shorter match V8 makes a copy by itself. */
function ownWord(n: number): string {
  const digits = Array.from({ length: 16 }, (_, at) => (n >> at) & 1);
  return digits.map((digit) => (digit === 0 ? 'b' : 'k')).join('');
}
