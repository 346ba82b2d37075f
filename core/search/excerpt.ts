/** Extracts the part of a long text that answers a question. */
import { chunksOf } from '../text/cut-long-text.ts';

/** Approximate length of an excerpt; a text up to twice as long is shown whole. */
const EXCERPT_UNITS_AIM = 1_500;
/** Most sentences are shorter, so an excerpt of this size seldom splits one. */
const EXCERPT_TOKENS_MIN = 40;
/** Share of a context's tokens for one excerpt, so that it fits beside others. */
const CONTEXT_SHARE = 0.2;

const ELLIPSIS = '…';

/** In code units. */
interface ExcerptSize {
  readonly aim: number;
  /** A text up to this length is shown whole. */
  readonly whole: number;
}

/** Returns how long an excerpt of a memory may be in a context with this token limit. */
export function excerptSizeIn(
  contextTokens: number,
  { content, tokenCount }: { readonly content: string; readonly tokenCount: number },
): ExcerptSize {
  const unitsPerToken = content.length / Math.max(1, tokenCount);
  const room = contextTokens * CONTEXT_SHARE;
  const units = Math.ceil(Math.max(EXCERPT_TOKENS_MIN, room) * unitsPerToken);
  const aim = Math.min(EXCERPT_UNITS_AIM, units);
  const whole = Math.max(aim, Math.floor(2 * room * unitsPerToken));
  return { aim, whole: Math.min(2 * EXCERPT_UNITS_AIM, whole) };
}

/**
 * Returns the paragraphs with most of the question's words, rare words first, or the beginning if
 * none has any. Null for a text that is short enough to show whole.
 */
export function excerptOf(
  text: string,
  query: string,
  analyzer: { terms(text: string): readonly string[] },
  { aim, whole }: ExcerptSize = { aim: EXCERPT_UNITS_AIM, whole: 2 * EXCERPT_UNITS_AIM },
): string | null {
  if (text.length <= whole) return null;
  const parts = chunksOf(text, { aim, fences: true });
  const asked = new Set(analyzer.terms(query));
  const found = parts.map((part) => asked.intersection(new Set(analyzer.terms(part))));
  const having = new Map<string, number>();
  for (const terms of found) {
    for (const term of terms) having.set(term, (having.get(term) ?? 0) + 1);
  }
  const scores = found.map((terms) =>
    [...terms].reduce((sum, term) => sum + Math.log1p(parts.length / (having.get(term) ?? 1)), 0),
  );
  const best = scores.reduce((most, score, at) => (score > (scores[most] ?? 0) ? at : most), 0);
  const before = best === 0 ? '' : `${ELLIPSIS} `;
  const after = best === parts.length - 1 ? '' : ` ${ELLIPSIS}`;
  return `${before}${(parts[best] ?? text).trim()}${after}`;
}
