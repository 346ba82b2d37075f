/** Cases of grounding written by hand: what a model may say of sources, true and false. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { groundEach, type GroundingOptions } from '#core/grounding/grounding.ts';
import type { Source } from '#core/sources/source.ts';

/** A line of a set. */
export interface WrittenCase {
  readonly id: string;
  readonly lang: string;
  readonly kind: 'invention' | 'mutation' | 'faithful';
  readonly type: string;
  readonly sources: readonly {
    readonly id: string;
    readonly at: string;
    readonly speaker?: string;
    readonly text: string;
  }[];
  readonly claim: string;
  readonly quote?: string;
  /** Said of a set that nobody may develop on. */
  readonly half?: Half;
}

export type Outcome = 'AsWorded' | 'Replaced' | 'Dropped';

/** The rules were made by looking at one half only; what is reported is the other. */
export type Half = 'develop' | 'report';

/** The cases of every set in a folder. */
export function readCases(folder: string): readonly WrittenCase[] {
  const files = globSync(`${folder}/*.jsonl`).toSorted();
  return files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as WrittenCase),
  );
}

/** Even and odd of the last byte of the SHA-256 of the id, where a case does not say its half. */
export function halfOf({ id, half }: Pick<WrittenCase, 'id' | 'half'>): Half {
  if (half !== undefined) return half;
  const last = createHash('sha256').update(id).digest().at(-1) ?? 0;
  return last % 2 === 0 ? 'develop' : 'report';
}

export function outcomeOf(
  { sources, claim, quote }: WrittenCase,
  options: GroundingOptions = {},
): Outcome {
  const known = new Map(sources.map((each) => [each.id, asSource(each)]));
  const fact = { text: claim, sources: [...known.keys()], quote: quote ?? null };
  const [judged] = groundEach([fact], known, options);
  if (judged?.reason === null) return 'AsWorded';
  return judged?.fact == null ? 'Dropped' : 'Replaced';
}

function asSource({ id, at, speaker, text }: WrittenCase['sources'][number]): Source {
  return {
    id,
    kind: speaker === undefined ? 'memory' : 'turn',
    position: id,
    text,
    contentHash: '',
    tokens: 1,
    bytes: text.length,
    at: Date.parse(at),
    speaker: speaker ?? null,
    role: null,
    trust: 'stated',
    expiresAt: null,
  };
}
