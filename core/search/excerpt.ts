/** Extracts the part of a long text that answers a question. */
import { chunksOf } from '../text/cut-long-text.ts';

/** Approximate length of an excerpt; a text up to twice as long is shown whole. */
const EXCERPT_UNITS_AIM = 1_500;

const ELLIPSIS = '…';

/** What turns a text into its terms, with repetitions. */
interface Terms {
  terms(text: string): readonly string[];
}

/**
 * Returns the paragraphs with most of the question's words, rare words first, or the beginning if
 * none has any. Null for a text that is short enough to show whole.
 */
export function excerptOf(text: string, query: string, analyzer: Terms): string | null {
  if (text.length <= 2 * EXCERPT_UNITS_AIM) return null;
  const parts = chunksOf(text, { aim: EXCERPT_UNITS_AIM, fences: true });
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
