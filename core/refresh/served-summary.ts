/** A summary as a reader gets it: without what was dropped, and with how fresh it is. */
import { withoutSources } from './compose-depths.ts';
import type { Layer } from '../layer.ts';
import type { LayerPolicy } from '../records/policy.ts';
import type { TokenCounter } from '../ports/token-counter.ts';
import { leastTrust, type Trust } from '../records/memory.ts';
import { DROPPED_SOURCES_MAX, type ScopeRecord } from '../records/scope-record.ts';
import {
  DEPTH_TOKENS_MAX,
  DEPTHS,
  type Depth,
  type Fact,
  type Summary,
} from '../records/summary.ts';
import { withSinceThen, type TextSince } from './since-then.ts';
import type { Source } from '../sources/source.ts';
import { freshnessOf, type StaleReason } from './staleness.ts';

export interface ServedSentence {
  readonly text: string;
  /** Ids of the memories or turns it rests on. */
  readonly sources: readonly string[];
  /** The least trust of what it rests on. */
  readonly trust: Trust;
  /** Whether it is no part of the summary, but was written after it. */
  readonly sinceThen: boolean;
}

export interface ServedDepth {
  /** With what was written since behind it. */
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
  /** When it will be looked at, as far as is known now; null where nothing is due. */
  readonly dueAt: number | null;
  readonly trigger: ScopeRecord['dueTrigger'];
  /** Writes that the summary does not know of. */
  readonly changes: number;
  /**
   * Why it is not looked at before `until`: a failure, or what the budget lacks; else null. The
   * amounts are left out for a principal that is bound to identifiers.
   */
  readonly hold: ScopeRecord['hold'];
  /** Why it was given up until the next write or a retry; else null. */
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

export interface ServeRules {
  readonly recipeHash: string;
  readonly policy: Pick<LayerPolicy, 'maxAgeMs'>;
  readonly now: number;
  readonly tokens: TokenCounter;
}

/** How fresh the summary of a scope is, for answers, logs and lists. */
export function freshnessReport(
  summary: Summary | null,
  scope: ScopeRecord,
  rules: Omit<ServeRules, 'tokens'>,
): FreshnessReport {
  const freshness = freshnessOf({ summary, scope, ...rules });
  const stale = freshness.kind === 'Stale';
  return {
    stale,
    reason: stale ? freshness.reason : null,
    since: stale ? freshness.since : null,
    // A scope that never had a source has nothing to make a summary of.
    needsRegeneration: stale && (summary !== null || scope.sourceCount > 0),
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

/** For a reader who may know that a summary waits, and not what its tenant has spent. */
export function withoutAmounts(report: FreshnessReport): FreshnessReport {
  const { hold } = report;
  return hold === null ? report : { ...report, hold: { ...hold, exhaustion: null } };
}

/**
 * What may be served of a summary. Facts that rest on a dropped source are gone from every depth
 * from the moment of the write; a summary with more dropped sources than are listed, or with an
 * erased one, is withheld.
 * @param unseen sources that it does not know of, the newest first
 */
export function servedSummary(
  summary: Summary,
  scope: ScopeRecord,
  rules: ServeRules,
  unseen: readonly Source[] = [],
): ServedSummary | null {
  if (isWithheld(scope)) return null;
  const { tokens } = rules;
  const dropped = new Set(scope.droppedSources.map(({ id }) => id));
  const depths: Partial<Record<Depth, ServedDepth>> = {};
  for (const depth of DEPTHS) {
    const text = summary.depths[depth];
    if (text === undefined) continue;
    const kept = withoutSources(text, summary.facts, { dropped, tokens });
    const since = withSinceThen(kept, unseen, { limit: DEPTH_TOKENS_MAX[depth], tokens });
    depths[depth] = servedDepth(since, summary.facts);
  }
  return {
    id: summary.id,
    layer: summary.layer,
    scopeId: summary.scopeId,
    depths,
    facts: summary.facts.filter((fact) => !fact.sources.some((id) => dropped.has(id))),
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

/** What was erased is not to be read at all, not even in facts that do not name it. */
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
