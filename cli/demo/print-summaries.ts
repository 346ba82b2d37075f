/** Each layer's summary at its depths, with tokens, freshness and the sources of a sentence. */
import type { ScopeSummary } from '#api/summaries.ts';
import type { ServedDepth } from '#core/refresh/served-summary.ts';
import { DEPTHS, type Depth } from '#core/records/summary.ts';
import { scopeName } from './scopes.ts';
import {
  bold,
  count,
  dim,
  lineWidth,
  shortened,
  shortId,
  wrapped,
  wrappedWithNote,
} from './text.ts';

const INDENT = '    ';
const LABEL_WIDTH = 24;

export function printSummaries(
  scopes: readonly ScopeSummary[],
  { full }: { full: boolean },
): string {
  return scopes.map((each) => printScope(each, full)).join('\n');
}

function printScope(each: ScopeSummary, full: boolean): string {
  const { summary } = each;
  const title = `  ${bold(scopeName(each))}`;
  if (summary === null) return `${title}  ${dim('no summary yet')}`;
  const from = count(summary.sourceCount, 'source');
  const facts = `${count(summary.facts.length, 'fact')} from ${from}`;
  const state = summary.freshness.stale ? `stale: ${String(summary.freshness.reason)}` : 'fresh';
  const lines = [`${title}  ${dim(`${facts}, ${state}`)}`];
  let shorter = '';
  for (const depth of DEPTHS) {
    const shown = summary.depths[depth];
    if (shown === undefined) continue;
    lines.push(shown.text === shorter ? printSame(depth, shown) : printDepth(depth, shown, full));
    shorter = shown.text;
  }
  return lines.join('\n');
}

function printSame(depth: Depth, { tokens }: ServedDepth): string {
  return `${INDENT}${depth} ${dim(`(${count(tokens, 'token')})`)}  the same, since every fact fits`;
}

/** The shortest depth is shown whole with its sources; the others show that they are there. */
function printDepth(depth: Depth, shown: ServedDepth, full: boolean): string {
  const label = `${INDENT}${depth} ${dim(`(${count(shown.tokens, 'token')})`)}`;
  if (depth === 'sentence') {
    const sentences = shown.sentences.map(({ text, sources }) => {
      const rests = `[${sources.map(shortId).join(' ')}]`;
      return wrappedWithNote(text, rests, `${INDENT}  `);
    });
    return [label, ...sentences].join('\n');
  }
  if (full) {
    return [label, ...shown.sentences.map(({ text }) => wrapped(text, `${INDENT}  `))].join('\n');
  }
  const room = lineWidth() - LABEL_WIDTH - INDENT.length;
  return `${label}  ${shortened(shown.text, room)}`;
}
