/**
 * Doubts: claims that the rules find supported in part, and that hang on words alone. Whoever reads
 * better than rules may confirm one; it then stays as it is worded.
 */
import type { Source } from '../sources/source.ts';
import type { Case } from './case.ts';
import { isMaybeName } from './maybe-name.ts';

export interface Doubt {
  readonly claim: string;
  /** Of each cited source the sentences around those that the claim rests on. */
  readonly evidence: readonly Source[];
}

/** Whether a claim that the rules doubt stays as it is worded. */
export type Confirms = (doubt: Doubt) => boolean;

/** A reader is shown no more; what rests on longer sentences is left to the rules. */
const EVIDENCE_CHARS_MAX = 2_000;
/** Sentences before and behind: they say who `she` is. */
const AROUND = 1;

/** Null where there is nothing to read, or too much, or a name that no source has. */
export function doubtOf({ fact, claim, cited, cover, quoted, language }: Case): Doubt | null {
  if (cover.unknown.some((word) => isMaybeName(word, claim, language))) return null;
  const found = new Set([...cover.places, ...quoted]);
  const evidence = cited.flatMap(({ source, places }, at): Source[] => {
    const near = places.filter((_, from) =>
      places.slice(Math.max(0, from - AROUND), from + AROUND + 1).some((each) => found.has(each)),
    );
    if (near.length === 0) return [];
    const text = near.map(({ sentence }) => sentence.raw.trim()).join(' ');
    return [{ ...source, id: `e${String(at)}`, text }];
  });
  const chars = evidence.reduce((sum, { text }) => sum + text.length, fact.text.length);
  if (evidence.length === 0 || chars > EVIDENCE_CHARS_MAX) return null;
  return { claim: fact.text, evidence };
}

/** What a judgement doubts: it is made with nothing confirmed. */
export function doubtsOf(judge: (confirms: Confirms) => unknown): readonly Doubt[] {
  const doubts: Doubt[] = [];
  judge((doubt) => {
    doubts.push(doubt);
    return false;
  });
  return doubts;
}
