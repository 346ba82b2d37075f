/** Hand-written cases of grounding: what a model may claim about sources, true and false. */
import { globSync } from 'node:fs';
import { groundEach, type GroundingOptions } from '#core/grounding/grounding.ts';
import type { Source } from '#core/sources/source.ts';
import { halfOf, jsonLines, type Half } from './data-sets.ts';

/** One line of a set. */
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
  /** Given for a set that must not be used for development. */
  readonly half?: Half;
}

export type Outcome = 'AsWorded' | 'Replaced' | 'Dropped';

/** Reads the cases of every set in a folder. */
export function readCases(folder: string): readonly WrittenCase[] {
  const files = globSync(`${folder}/*.jsonl`).toSorted();
  return files.flatMap((file) => jsonLines<WrittenCase>(file));
}

/** Returns the half that a case states, or else that of its id. */
export function halfOfCase({ id, half }: Pick<WrittenCase, 'id' | 'half'>): Half {
  return half ?? halfOf(id);
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
