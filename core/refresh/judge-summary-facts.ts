/**
 * Decides whether an answered item may be used: compares its facts with the sources shown to the
 * model.
 */
import type { AnsweredItem, AnswerFact } from '../prompt/parse-answer.ts';
import { composeDepth, cutToTokens } from './compose-depths.ts';
import type { Confirms } from '../grounding/doubt.ts';
import { groundFacts } from '../grounding/grounding.ts';
import type { TokenCounter } from '../ports/token-counter.ts';
import { DEPTH_TOKENS_MAX, type Depth, type Fact, type Summary } from '../records/summary.ts';
import type { Source } from '../sources/source.ts';

/**
 * A longer fact would leave no room for a second one in a paragraph, so it is cut and set aside.
 */
const FACT_TOKENS_MAX = DEPTH_TOKENS_MAX.paragraph;

/** Reason to set aside a fact that was correct when the model stated it. */
const SOURCE_CHANGED = 'SourceChanged';
/** Reason on the full text of a fact that the summary contains only in part. */
const TOO_LONG = 'TooLong';

export interface ItemJudgment {
  readonly facts: readonly Fact[];
  readonly dropped: Summary['droppedFacts'];
  /**
   * Good: enough facts are supported, or the model found nothing worth a fact. Refused: too few
   * facts are supported, or none. Outdated: nothing is left only because sources changed.
   */
  readonly verdict: 'Good' | 'Outdated' | 'Refused';
  /** Whether the answer was cut off within the item, so that it is incomplete. */
  readonly isCut: boolean;
}

export interface ShownSource {
  readonly id: string;
  readonly contentHash: string;
}

interface JudgedAgainst {
  /** The current sources of the item's own scope. */
  readonly sources: readonly Source[];
  /** The cited sources as the model read them; null if they are unchanged. */
  readonly shown: readonly ShownSource[] | null;
  readonly tokens: TokenCounter;
  /** Set if a verifier is available. */
  readonly confirms?: Confirms | undefined;
}

/**
 * A fact that cites anything outside its own scope fails, no matter who owns it. A fact whose
 * source has changed or disappeared is dropped and does not count against the answer.
 */
export function judgeFacts(
  answered: AnsweredItem | undefined,
  { sources, shown, tokens, confirms }: JudgedAgainst,
): ItemJudgment {
  const { facts = null, malformed = 0, isCut = false } = answered ?? {};
  const known = new Map(sources.map((source) => [source.id, source]));
  const changed = changedSources(shown ?? [], known);
  const isOutdated = (fact: AnswerFact) => fact.sources.some((id) => changed.has(id));
  const outdated = facts?.filter(isOutdated) ?? [];
  const judged = facts?.filter((fact) => !isOutdated(fact)) ?? [];
  const grounded = groundFacts(judged, known, { confirms });
  const isEmpty = grounded.facts.length === 0;
  // Small talk has no facts: an empty answer is right, and a retry would cost as much.
  const saysNone = facts?.length === 0 && malformed === 0;
  const cut = grounded.facts.map((fact) => cutFact(fact, tokens));
  return {
    facts: cut.map(({ fact }) => fact),
    dropped: [
      ...grounded.dropped,
      ...outdated.map(({ text }) => ({ text, reason: SOURCE_CHANGED })),
      ...cut.flatMap(({ whole }) => (whole === null ? [] : [{ text: whole, reason: TOO_LONG }])),
    ],
    verdict: verdictOf({ isEmpty, isOutdated: outdated.length > 0, saysNone }),
    isCut,
  };
}

/** Returns whether a fact was cut, or the shortest requested text would have to be. */
export function isTooLong(
  { facts, dropped }: ItemJudgment,
  depths: readonly Depth[],
  tokens: TokenCounter,
): boolean {
  const shortest = Math.min(...depths.map((depth) => DEPTH_TOKENS_MAX[depth]));
  const gist = facts.find((fact) => fact.depths?.includes('sentence') ?? false);
  const first = gist ?? facts[0];
  const isCut = first !== undefined && composeDepth([first], shortest, tokens).cut;
  return isCut || dropped.some(({ reason }) => reason === TOO_LONG);
}

/** Returns the ids of the sources that disappeared or changed since they were shown. */
export function changedSources(
  shown: readonly ShownSource[],
  sources: ReadonlyMap<string, Source>,
): ReadonlySet<string> {
  const changed = shown.filter(
    ({ id, contentHash }) => sources.get(id)?.contentHash !== contentHash,
  );
  return new Set(changed.map(({ id }) => id));
}

function verdictOf(found: {
  isEmpty: boolean;
  isOutdated: boolean;
  saysNone: boolean;
}): ItemJudgment['verdict'] {
  if (!found.isEmpty || found.saysNone) return 'Good';
  return found.isOutdated ? 'Outdated' : 'Refused';
}

function cutFact(fact: Fact, tokens: TokenCounter): { fact: Fact; whole: string | null } {
  const text = cutToTokens(fact.text, FACT_TOKENS_MAX, tokens);
  return text === fact.text ? { fact, whole: null } : { fact: { ...fact, text }, whole: fact.text };
}
