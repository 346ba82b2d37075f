/** Judges a context: whether it contains the answer, outdated values, or deleted text. */
import type { TokenCounter } from '#core/ports/token-counter.ts';

import type { DataSet, Person, Question, Said } from './data.ts';

export interface Verdict {
  /** 0 or 1 by words; a share if evidence is marked. Null if the question has no answer. */
  readonly answered: number | null;
  /** Whether it has an outdated value without the current one; null if no outdated one is known. */
  readonly isStale: boolean | null;
  /** Whether it has both; null if no outdated value is known. */
  readonly isBeside: boolean | null;
  /** Where it has both: whether every outdated value is marked as earlier, or as maybe earlier. */
  readonly isOldMarked: boolean | null;
  /** Whether an answer that holds is marked so; null if it has none. */
  readonly isAnswerMarked: boolean | null;
  /** Whether it has a word of a deleted turn; null if nothing was deleted. */
  readonly isLeaking: boolean | null;
  readonly tokens: number;
}

export function judge(
  context: string,
  { judged, person, question }: Pick<DataSet, 'judged'> & { person: Person; question: Question },
  tokens: TokenCounter,
): Verdict {
  const used = tokens.count(context);
  if (judged === 'Evidence') {
    const answered = evidenceShare(context, { person, question }, tokens);
    return { ...UNJUDGED, answered, tokens: used };
  }
  const text = folded(context);
  const { expected, stale, absent, kind } = question;
  const holds = (groups: readonly (readonly string[])[]) => groups.map((group) => has(text, group));
  const isAnswered = expected.length === 0 ? null : !holds(expected).includes(false);
  const isOld = stale.length === 0 ? null : holds(stale).includes(true);
  const isBeside = isOld === null ? null : isOld && isAnswered === true;
  const marks = (groups: readonly (readonly string[])[]) => groups.flatMap(marksIn(text));
  return {
    answered: isAnswered === null ? null : Number(isAnswered),
    isStale: isOld === null ? null : isOld && isAnswered !== true,
    isBeside,
    isOldMarked: isBeside === true ? !marks(stale).includes(false) : null,
    isAnswerMarked: isAnswered === true ? marks(expected).includes(true) : null,
    isLeaking: kind === 'deletion' ? holds(absent).includes(true) : null,
    tokens: used,
  };
}

const UNJUDGED = {
  isStale: null,
  isBeside: null,
  isOldMarked: null,
  isAnswerMarked: null,
  isLeaking: null,
};

/** A mark behind a passage, and the passage itself, up to the mark before it. */
const MARKED = /(?<passage>[^\n]*?) \((?:in part )?earlier(?:\? see [\d-]+)?\)/gu;

/** Returns a function: for each passage with a spelling of a group, whether it is marked. */
function marksIn(text: string): (group: readonly string[]) => readonly boolean[] {
  const marked = [...text.matchAll(MARKED)].map(({ groups }) => groups?.['passage'] ?? '');
  const others = text.replaceAll(MARKED, '').split('\n');
  return (group) => [
    ...marked.flatMap((passage) => (has(passage, group) ? true : [])),
    ...others.flatMap((passage) => (has(passage, group) ? false : [])),
  ];
}

function has(text: string, group: readonly string[]): boolean {
  return group.some((spelling) => text.includes(folded(spelling)));
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** The share of the evidence, by tokens, whose sentences are in the context. */
function evidenceShare(
  context: string,
  { person, question }: { person: Person; question: Question },
  tokens: TokenCounter,
): number | null {
  if (question.evidence.length === 0) return null;
  const flat = flattened(context);
  const turns = new Map(person.sessions.flatMap(({ turns: said }) => said).map((t) => [t.id, t]));
  const wanted = question.evidence.flatMap((id) => turns.get(id) ?? []);
  const shares = wanted.map((turn) => {
    const parts = chunksOf(turn).map((piece) => ({
      isShown: flat.includes(flattened(piece)),
      cost: tokens.count(piece),
    }));
    const all = parts.reduce((sum, { cost }) => sum + cost, 0);
    const shown = parts.reduce((sum, { cost, isShown }) => sum + (isShown ? cost : 0), 0);
    return { all, shown };
  });
  if (question.isAnyEnough) return Math.max(...shares.map(({ all, shown }) => shown / all));
  const all = shares.reduce((sum, each) => sum + each.all, 0);
  return shares.reduce((sum, each) => sum + each.shown, 0) / all;
}

const SEGMENTER = new Intl.Segmenter('und', { granularity: 'sentence' });

function chunksOf({ text }: Said): readonly string[] {
  const pieces = [...SEGMENTER.segment(text)].map(({ segment }) => segment.trim());
  return pieces.filter((piece) => flattened(piece) !== '');
}

/** Removes white space, so that different line breaks make no difference. */
function flattened(text: string): string {
  return text.replaceAll(/\s+/gu, '');
}
