/**
 * The workload that a disk fails under: what is written, in which order, and what may be there
 * afterwards. One step is awaited before the next; the writes of one step go out together, so that
 * they share commits.
 */
import { contentHash } from '#core/hash.ts';
import type { Memory } from '#core/records/memory.ts';
import { createPlatform } from '#providers/node/platform.ts';
import { createLexicalEmbedder } from '#providers/lexical/embedder.ts';
import { idOf, memoryOf } from '../conformance/samples.ts';

export const TENANT = 'acme';
const { digest } = createPlatform();
const embedder = createLexicalEmbedder();

/** What a memory is made to be; a round is one more change of it. */
export interface Wanted {
  readonly n: number;
  readonly round: number;
}

export interface Write {
  readonly kind: 'Add' | 'AddMany' | 'Update' | 'Delete' | 'DeleteMany';
  readonly wanted: readonly Wanted[];
}

export type Step = readonly Write[];

/** Adds, bulk adds, changes, deletions, one by one and together. */
export const SCRIPT: readonly Step[] = [
  together('Add', { from: 0, count: 1, round: 0 }),
  together('Add', { from: 1, count: 4, round: 0 }),
  [{ kind: 'AddMany', wanted: range({ from: 5, count: 12, round: 0 }) }],
  together('Update', { from: 0, count: 4, round: 1 }),
  together('Delete', { from: 1, count: 1, round: 2 }),
  [
    ...together('Update', { from: 5, count: 1, round: 1 }),
    ...together('Add', { from: 17, count: 4, round: 0 }),
  ],
  [{ kind: 'DeleteMany', wanted: range({ from: 10, count: 5, round: 1 }) }],
  together('Update', { from: 2, count: 2, round: 2 }),
  [
    { kind: 'AddMany', wanted: range({ from: 30, count: 8, round: 0 }) },
    ...together('Delete', { from: 0, count: 1, round: 2 }),
    ...together('Update', { from: 6, count: 1, round: 1 }),
  ],
  together('Delete', { from: 17, count: 2, round: 1 }),
];

/** Every write of the script with its number, which is how the workload names it. */
export const WRITES: readonly Write[] = SCRIPT.flat();

/** Words of which no two memories and no two rounds have the same. */
export function contentOf({ n, round }: Wanted): string {
  return `garden of word${n}x${round} and the rest of it`;
}

export function uniqueWordOf({ n, round }: Wanted): string {
  return `word${n}x${round}`;
}

export async function memoryFor(wanted: Wanted): Promise<Memory> {
  const content = contentOf(wanted);
  const [vector = null] = await embedder.embed([content], { purpose: 'passage' });
  return memoryOf(TENANT, wanted.n, {
    id: idOf(wanted.n),
    content,
    contentHash: contentHash(digest, content),
    tags: [`round-${wanted.round}`],
    embeddingGeneration: embedder.generation,
    vector: vector === null ? null : [...vector],
  });
}

interface Range {
  readonly from: number;
  readonly count: number;
  readonly round: number;
}

function range({ from, count, round }: Range): readonly Wanted[] {
  return Array.from({ length: count }, (_, at) => ({ n: from + at, round }));
}

function together(kind: Write['kind'], of: Range): Step {
  return range(of).map((wanted) => ({ kind, wanted: [wanted] }));
}
