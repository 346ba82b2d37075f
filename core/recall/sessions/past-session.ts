/**
 * A session prepared for recall: the passages of its turns, an index of their terms, and the
 * columns of numbers that a ranking reads of each.
 */
import type { Turn } from '../../records/turn.ts';
import type { TextAnalyzer } from '../../ports/text-analyzer.ts';
import { isLine } from './speakers.ts';
import { sessionColumns, type SessionColumns } from './session-columns.ts';
import { passageVectors, type PassageVectors, type TurnVectors } from './passage-vectors.ts';
import { labeledLine } from '../../text/speaker-label.ts';
import { recallTerms } from '../words/recall-terms.ts';
import { analyzeSession, FORMS, passageTexts, type SessionAnalysis } from './session-analysis.ts';
import { startsOf, termIndex, type TermIndex } from '../words/term-index.ts';

export interface PastTurn {
  readonly turn: Pick<
    Turn,
    'id' | 'sessionId' | 'at' | 'utcOffset' | 'role' | 'speaker' | 'content' | 'trust'
  > & {
    /** Whether this is a line that only restates turns, so that it replaces nothing they say. */
    readonly isRestated?: boolean;
  };
  /**
   * When it was said, for comparisons: no earlier than the turns before it in its session, if the
   * clock only went back a little. A turn of an earlier day came late.
   */
  readonly since: number;
  /** Range of its passages in the session; the end is exclusive. */
  readonly first: number;
  readonly end: number;
  /** Number of terms of all its passages, with repetitions. */
  readonly length: number;
  /** Terms of the name of its speaker; empty if it has none. */
  readonly names: readonly string[];
}

export interface Passage {
  readonly text: string;
  /** Whether it begins a line of its turn. */
  readonly startsLine: boolean;
  /** Whether no space is between it and the passage before. */
  readonly isGlued: boolean;
  /** Index of its turn in the session. */
  readonly turn: number;
  /**
   * Terms of its own words. A query for a speaker's name finds it too, but the name does not make
   * two passages alike.
   */
  readonly terms: readonly string[];
}

export interface PastSession {
  readonly sessionId: string;
  readonly turns: readonly PastTurn[];
  readonly passages: readonly Passage[];
  readonly index: TermIndex;
  readonly columns: SessionColumns;
  /** Null if no passage has a vector. */
  readonly vectors: PassageVectors | null;
}

/** A turn with the encoded vectors of its passages, if it has vectors of the current embedder. */
export interface TurnToRecall {
  readonly turn: PastTurn['turn'];
  readonly vectors: readonly string[] | null;
}

/**
 * Prepares a session. @param given turns of one session in order; turns without words are left out
 */
export function pastSession(
  sessionId: string,
  given: readonly TurnToRecall[],
  analyzer: TextAnalyzer,
): PastSession {
  const contents = given.map(({ turn }) => turn.content);
  return analyzedSession(sessionId, given, { analyzer, ...analyzeSession(contents, analyzer) });
}

/** How far a clock may be set back, such as at the end of summer time. */
const CLOCK_BACK_MS_MAX = 2 * 60 * 60_000;

/** What was read of the texts of a session. */
interface ReadTexts extends SessionAnalysis {
  readonly analyzer: TextAnalyzer;
  /** Passages of the same first turns, which keep what rules have read in them. */
  readonly known?: readonly Passage[];
}

/** As `pastSession`, if the texts of these turns were analyzed before. */
export function analyzedSession(
  sessionId: string,
  given: readonly TurnToRecall[],
  analysis: ReadTexts,
): PastSession {
  const { analyzer, isWhole, words, known = [] } = analysis;
  const texts = passageTexts(
    analysis,
    given.map(({ turn }) => turn.content),
  );
  const { lengths, forms, starts, units } = analysis;
  const terms = { words, numbers: analysis.terms, starts: startsOf(lengths) };
  const turns: PastTurn[] = [];
  const passages: Passage[] = [];
  const encoded: (TurnVectors | null)[] = [];
  const names = new Map<number, readonly string[]>();
  const labels = speakerLabels(given);
  let latest = 0;
  for (const [at, { turn, vectors }] of given.entries()) {
    const first = passages.length;
    const end = first + (analysis.passages[at] ?? 0);
    if (end === first) continue;
    for (let place = first; place < end; place += 1) {
      const startsLine = ((forms[place] ?? 0) & FORMS.startsLine) > 0;
      const endBefore = (starts[place - 1] ?? 0) + (units[place - 1] ?? 0);
      const isGlued = place > first && starts[place] === endBefore;
      const said = { text: texts[place] ?? '', startsLine, isGlued, turn: turns.length };
      const before = known[place];
      passages.push(
        before instanceof AnalyzedPassage
          ? before.readFrom(terms)
          : new AnalyzedPassage(said, terms, place),
      );
    }
    // A query that names a speaker matches what that speaker said.
    const speaker = turn.speaker ?? labels[at] ?? null;
    const named = speaker === null ? [] : recallTerms(analyzer, speaker);
    if (named.length > 0) names.set(first, named);
    const length = named.length + (terms.starts[end] ?? 0) - (terms.starts[first] ?? 0);
    encoded.push(vectors?.length === end - first ? { first, codes: vectors } : null);
    // The lines of a file, which is their speaker, are in no order of time.
    const isInOrder = !isLine({ turn }) && turn.at >= latest - CLOCK_BACK_MS_MAX;
    const since = isInOrder ? Math.max(latest, turn.at) : turn.at;
    latest = Math.max(latest, since);
    turns.push({ turn, since, first, end, length, names: named });
  }
  const turnOf = Uint32Array.from(passages, ({ turn }) => turn);
  const index = termIndex({ words, turnOf, lengths, terms: analysis.terms, names }, isWhole);
  const columns = sessionColumns({ turns, turnOf, ownStarts: index.ownStarts }, analysis);
  const vectors = passageVectors(encoded, passages.length);
  return { sessionId, turns, passages, index, columns, vectors };
}

/** From this share of its first turns on, a session has labels of speakers in its texts. */
const LABELED_SHARE = 0.8;
const FIRST_TURNS = { least: 4, most: 20 };

/** Returns the names before what is said, such as `Ann: I moved`; none if few turns have one. */
function speakerLabels(given: readonly TurnToRecall[]): readonly (string | null)[] {
  const first = given.slice(0, FIRST_TURNS.most).map(labelOf);
  const labeled = first.filter((label) => label !== null).length;
  const isUsual = first.length >= FIRST_TURNS.least && labeled >= LABELED_SHARE * first.length;
  return isUsual ? given.map(labelOf) : [];
}

function labelOf({ turn: { content } }: TurnToRecall): string | null {
  const [line = ''] = content.split('\n', 1);
  return labeledLine(line)?.speaker ?? null;
}

interface PassageTerms {
  readonly words: readonly string[];
  /** The terms of all passages, as places in the list of words. */
  readonly numbers: Uint32Array;
  /** By passage, and one more entry for the end: where its terms begin. */
  readonly starts: Uint32Array;
}

/** Makes the list of its terms when asked: few of many thousand passages are. */
class AnalyzedPassage implements Passage {
  readonly text: string;
  readonly startsLine: boolean;
  readonly isGlued: boolean;
  readonly turn: number;
  #all: PassageTerms;
  readonly #place: number;

  constructor(said: Omit<Passage, 'terms'>, all: PassageTerms, place: number) {
    this.text = said.text;
    this.startsLine = said.startsLine;
    this.isGlued = said.isGlued;
    this.turn = said.turn;
    this.#all = all;
    this.#place = place;
  }

  /** Reads terms from the list of a session that goes on, so that its list of before is freed. */
  readFrom(all: PassageTerms): this {
    this.#all = all;
    return this;
  }

  get terms(): readonly string[] {
    const { words, numbers, starts } = this.#all;
    const own = numbers.subarray(starts[this.#place], starts[this.#place + 1]);
    return Array.from(own, (number) => words[number] ?? '');
  }
}
