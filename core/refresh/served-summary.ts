/** Prepares a summary for a reader: without dropped sources, and with its freshness. */
import { cutToTokens, withoutSources } from './compose-depths.ts';
import type { Layer } from '../layer.ts';
import type { LayerPolicy } from '../records/policy.ts';
import type { TokenCounter } from '../ports/token-counter.ts';
import { leastTrust, type Trust } from '../trust.ts';
import { DROPPED_SOURCES_MAX, type ScopeRecord } from '../records/scope-record.ts';
import {
  DEPTH_TOKENS_MAX,
  DEPTHS,
  type Depth,
  type DepthText,
  type Fact,
  type Summary,
} from '../records/summary.ts';
import { joinSentences } from '../text/joined-sentences.ts';
import { withSinceThen, type TextSince } from './unsummarized-sources.ts';
import type { Source } from '../sources/source.ts';
import { freshnessOf, isFoundEmpty, type StaleReason } from './staleness.ts';

interface ServedSentence {
  readonly text: string;
  /** Ids of the memories or turns that it rests on. */
  readonly sources: readonly string[];
  /** The lowest trust of its sources. */
  readonly trust: Trust;
  /** Whether the text is not part of the summary, but was written after it. */
  readonly sinceThen: boolean;
}

export interface ServedDepth {
  /** The text, followed by what was written after it. */
  readonly text: string;
  readonly tokens: number;
  readonly sentences: readonly ServedSentence[];
  readonly cut: boolean;
}

export interface FreshnessReport {
  readonly stale: boolean;
  readonly reason: StaleReason | null;
  /** Milliseconds since the epoch; null while fresh. */
  readonly since: number | null;
  readonly needsRegeneration: boolean;
  /** When a refresh will check it, as far as is known; null if nothing is due. */
  readonly dueAt: number | null;
  readonly trigger: ScopeRecord['dueTrigger'];
  /** Number of writes that the summary does not include. */
  readonly changes: number;
  /**
   * Why it is not checked before `until`: a failure, or what the budget lacks; otherwise null.
   * Amounts are omitted for a principal that is bound to identifiers.
   */
  readonly hold: ScopeRecord['hold'];
  /** Why it is a dead letter until the next write or a retry; otherwise null. */
  readonly deadLetter: Omit<NonNullable<ScopeRecord['deadLetter']>, 'recipeHash'> | null;
}

export interface ServedSummary {
  readonly id: string;
  readonly layer: Layer;
  readonly scopeId: string;
  readonly depths: Partial<Record<Depth, ServedDepth>>;
  readonly facts: readonly Fact[];
  readonly sourceHash: string;
  readonly sourceCount: number;
  readonly model: string;
  readonly usage: Summary['usage'];
  readonly priceMicroDollars: number;
  readonly generatedAt: number;
  readonly checkedAt: number;
  readonly personalized: boolean;
  readonly freshness: FreshnessReport;
}

/** What a summary says, or a source says since. */
export interface ServedText {
  readonly text: string;
  readonly at: number;
  /** Null if it names none, as a memory. */
  readonly speaker: string | null;
  readonly trust: Trust;
}

/** Returns the mark of each text that a newer one among them ends, by its place. */
export type OutdatedMarks = (told: readonly ServedText[]) => ReadonlyMap<number, string>;

export interface ServeRules {
  readonly recipeHash: string;
  /** Absent if nothing is marked, as for what a model reads. */
  readonly outdatedMarks?: OutdatedMarks;
  readonly policy: Pick<LayerPolicy, 'maxAgeMs'>;
  readonly now: number;
  readonly tokens: TokenCounter;
}

/** Reports how fresh the summary of a scope is, for answers, logs and lists. */
export function freshnessReport(
  summary: Summary | null,
  scope: ScopeRecord,
  rules: Omit<ServeRules, 'tokens' | 'outdatedMarks'>,
): FreshnessReport {
  const freshness = freshnessOf({ summary, scope, ...rules });
  const stale = freshness.kind === 'Stale';
  return {
    stale,
    reason: stale ? freshness.reason : null,
    since: stale ? freshness.since : null,
    // A scope without anything to summarize awaits no summary.
    needsRegeneration:
      stale && (summary !== null || (scope.sourceCount > 0 && !isFoundEmpty(scope))),
    dueAt: scope.dueAt,
    trigger: scope.dueTrigger,
    changes: scope.changes,
    hold: scope.hold,
    deadLetter: shownLetter(scope),
  };
}

function shownLetter({ deadLetter }: ScopeRecord): FreshnessReport['deadLetter'] {
  if (deadLetter === null) return null;
  const { code, reason, at } = deadLetter;
  return { code, reason, at };
}

/** For readers who may know that a summary waits, but not what its tenant has spent. */
export function withoutAmounts(report: FreshnessReport): FreshnessReport {
  const { hold } = report;
  return hold === null ? report : { ...report, hold: { ...hold, exhaustion: null } };
}

/** What happened to the sources since the summary was made. */
export interface SinceSummary {
  /** Sources that the summary does not include, newest first. */
  readonly unseen?: readonly Source[];
  /** Ids of sources that expired. */
  readonly expired?: readonly string[];
}

/**
 * Returns the part of a summary that may be served. Facts that rest on a dropped source disappear
 * from every depth with the write, and facts that rest on an expired source when it expires; so do
 * the marks of what they ended. A summary is withheld if it has more dropped sources than the list
 * holds, or an erased one.
 */
export function servedSummary(
  summary: Summary,
  scope: ScopeRecord,
  rules: ServeRules,
  { unseen = [], expired = [] }: SinceSummary = {},
): ServedSummary | null {
  if (isWithheld(scope)) return null;
  const { tokens } = rules;
  const dropped = new Set([...scope.droppedSources.map(({ id }) => id), ...expired]);
  const isDropped = (fact: Fact) => fact.sources.some((id) => dropped.has(id));
  const left = summary.facts.flatMap((fact, index) => (isDropped(fact) ? [] : [{ fact, index }]));
  const marks = rules.outdatedMarks?.([...left.map(({ fact }) => fact), ...unseen]);
  const marked = new Map(left.map(({ index }, place) => [index, marks?.get(place) ?? '']));
  const depths: Partial<Record<Depth, ServedDepth>> = {};
  for (const depth of DEPTHS) {
    const text = summary.depths[depth];
    if (text === undefined) continue;
    const limit = DEPTH_TOKENS_MAX[depth];
    const kept = withoutSources(text, summary.facts, { dropped, depth, tokens });
    const shown = withMarks(kept, { marked, limit, tokens });
    const since = withSinceThen(shown, unseen, { limit, tokens });
    depths[depth] = servedDepth(since, summary.facts);
  }
  return {
    id: summary.id,
    layer: summary.layer,
    scopeId: summary.scopeId,
    depths,
    facts: left.map(({ fact }) => fact),
    sourceHash: summary.sourceHash,
    sourceCount: summary.sourceCount,
    model: summary.model,
    usage: summary.usage,
    priceMicroDollars: summary.priceMicroDollars,
    generatedAt: summary.generatedAt,
    checkedAt: summary.checkedAt,
    personalized: summary.personalized,
    freshness: freshnessReport(summary, scope, rules),
  };
}

/**
 * Returns the text with a mark behind each outdated sentence. To make room for marks, it loses
 * outdated sentences, those that matter least first.
 * @param marked by the index of a fact; empty for what holds
 */
function withMarks(
  text: DepthText,
  {
    marked,
    limit,
    tokens,
  }: { marked: ReadonlyMap<number, string>; limit: number; tokens: TokenCounter },
): DepthText {
  const markOf = ({ facts }: Sentence): string => marked.get(facts[0] ?? -1) ?? '';
  const byValue = text.sentences
    .filter((sentence) => markOf(sentence) !== '')
    .toSorted((a, b) => (b.facts[0] ?? 0) - (a.facts[0] ?? 0));
  if (byValue.length === 0) return text;
  let left = text.sentences;
  let shown = rendered(left, markOf, { ...text, tokens });
  for (const leaving of byValue) {
    if (shown.tokens <= limit || left.length === 1) break;
    left = left.filter((sentence) => sentence !== leaving);
    shown = rendered(left, markOf, { ...text, tokens, cut: true });
  }
  const [last] = left;
  if (shown.tokens <= limit || last === undefined) return shown;
  const room = limit - tokens.count(markOf(last));
  const cut = { ...last, text: cutToTokens(last.text, room, tokens) };
  return rendered([cut], markOf, { ...text, tokens, cut: true });
}

type Sentence = DepthText['sentences'][number];

function rendered(
  sentences: readonly Sentence[],
  markOf: (sentence: Sentence) => string,
  { tokens, cut }: { tokens: TokenCounter; cut: boolean },
): DepthText {
  const shown = sentences.map((each) => ({ ...each, text: `${each.text}${markOf(each)}` }));
  const text = joinSentences(shown.map((each) => each.text));
  return { text, tokens: tokens.count(text), sentences: shown, cut };
}

/** Erased content must not be readable at all, not even in facts that do not name it. */
function isWithheld({ droppedSources }: ScopeRecord): boolean {
  const isErased = droppedSources.some(({ reason }) => reason === 'Erased');
  return isErased || droppedSources.length >= DROPPED_SOURCES_MAX;
}

function servedDepth(
  { kept, since, text, tokens, cut }: TextSince,
  facts: readonly Fact[],
): ServedDepth {
  const sentences = kept.sentences.map((each) => {
    const rests = each.facts.flatMap((index) => facts[index] ?? []);
    return {
      text: each.text,
      sources: [...new Set(rests.flatMap(({ sources }) => sources))],
      trust: leastTrust(rests.map(({ trust }) => trust)),
      sinceThen: false,
    };
  });
  const news = since.map(({ source, text: said }) => ({
    text: said,
    sources: [source.id],
    trust: source.trust,
    sinceThen: true,
  }));
  return { text, tokens, sentences: [...sentences, ...news], cut };
}
