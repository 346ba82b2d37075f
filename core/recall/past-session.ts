/** A session as recall reads it: its turns in passages, with their words, analyzed once. */
import type { Turn } from '../records/turn.ts';
import type { TextAnalyzer } from '../ports/text-analyzer.ts';
import { FUNCTION_WORDS } from './function-words.ts';
import { passagesOf } from './passages.ts';
import { passageSigns, type PassageSigns } from './signs.ts';

export interface PastTurn {
  readonly turn: Pick<Turn, 'id' | 'sessionId' | 'at' | 'role' | 'speaker' | 'content' | 'trust'>;
  /** Places of its passages in the session, the end exclusive. */
  readonly first: number;
  readonly end: number;
  /** Terms of all its passages, with repetitions. */
  readonly length: number;
}

export interface Passage {
  readonly text: string;
  /** Place of its turn in the session. */
  readonly turn: number;
  readonly terms: readonly string[];
  readonly signs: PassageSigns;
  readonly vector: Float32Array | null;
}

/** How often a term occurs in a passage. */
export interface Occurrence {
  readonly passage: number;
  readonly count: number;
}

export interface PastSession {
  readonly sessionId: string;
  readonly turns: readonly PastTurn[];
  readonly passages: readonly Passage[];
  readonly occurrences: ReadonlyMap<string, readonly Occurrence[]>;
  /** In how many of its turns a term occurs. */
  readonly frequency: ReadonlyMap<string, number>;
}

/** A turn with the vectors of its passages, where it has some of the embedder in use. */
export interface TurnToRecall {
  readonly turn: PastTurn['turn'];
  readonly vectors: readonly Float32Array[] | null;
}

/** The terms that recall compares: those of the analyzer without function words. */
export function recallTerms(analyzer: TextAnalyzer, text: string): readonly string[] {
  return analyzer.terms(text).filter((term) => !FUNCTION_WORDS.has(term));
}

/** @param given turns of one session in their order; those without words are left out */
export function pastSession(
  sessionId: string,
  given: readonly TurnToRecall[],
  analyzer: TextAnalyzer,
): PastSession {
  const turns: PastTurn[] = [];
  const passages: Passage[] = [];
  const occurrences = new Map<string, Occurrence[]>();
  const frequency = new Map<string, number>();
  for (const { turn, vectors } of given) {
    const texts = passagesOf(turn.content);
    if (texts.length === 0) continue;
    const first = passages.length;
    const inTurn = new Set<string>();
    let length = 0;
    for (const [index, text] of texts.entries()) {
      const terms = recallTerms(analyzer, text);
      // A speaker who is asked for by name has said it.
      const named = turn.speaker === null ? [] : recallTerms(analyzer, turn.speaker);
      const all = index === 0 ? [...named, ...terms] : terms;
      length += all.length;
      note(occurrences, all, passages.length);
      for (const term of all) inTurn.add(term);
      const vector = vectors?.[index] ?? null;
      passages.push({ text, turn: turns.length, terms: all, signs: passageSigns(text), vector });
    }
    for (const term of inTurn) frequency.set(term, (frequency.get(term) ?? 0) + 1);
    turns.push({ turn, first, end: passages.length, length });
  }
  return { sessionId, turns, passages, occurrences, frequency };
}

function note(
  occurrences: Map<string, Occurrence[]>,
  terms: readonly string[],
  passage: number,
): void {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  for (const [term, count] of counts) {
    const known = occurrences.get(term);
    if (known === undefined) occurrences.set(term, [{ passage, count }]);
    else known.push({ passage, count });
  }
}
