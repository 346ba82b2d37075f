/** The receipt of an assembled context: what is in, what is out, and why. */
import type { ContextAnswer } from '#api/operations/summary.ts';
import type { ReceiptLine } from '#core/context/context-parts.ts';
import { count, shortId } from './text.ts';
import { renderTable } from './table.ts';

const SOURCES_SHOWN_MAX = 1;
/** Lines that are shown of what is in and of what is out; the rest is counted. */
const INCLUDED_SHOWN_MAX = 14;
const EXCLUDED_SHOWN_MAX = 6;

const WHY: Readonly<Record<ReceiptLine['reason'], string>> = {
  Always: 'always',
  Recent: 'latest turn',
  Relevant: 'near question',
  LatestSession: 'of the session',
  Asked: 'asked for',
  OverLimit: 'over the limit',
  OverShare: 'share is used',
  NoText: 'no text',
  Duplicate: 'duplicate',
};

export function renderReceipt({ receipt, tokens, limit }: ContextAnswer): string {
  const included = receipt.filter((line) => line.included).slice(0, INCLUDED_SHOWN_MAX);
  const excluded = receipt.filter((line) => !line.included).slice(0, EXCLUDED_SHOWN_MAX);
  const shown = [...included, ...excluded].map(row);
  const left = receipt.length - shown.length;
  const more = left > 0 ? `\n  … and ${count(left, 'line')} more` : '';
  const head = ['', 'part', 'layer', 'tokens', 'sources', 'state', 'why'];
  return `${renderTable(head, shown)}${more}\n  ${String(tokens)} of ${String(limit)} tokens used`;
}

function row(line: ReceiptLine): readonly string[] {
  return [
    line.included ? 'in' : 'out',
    line.depth === null ? line.kind : `${line.kind} ${line.depth}`,
    line.layer ?? '',
    String(line.tokens),
    sources(line),
    state(line),
    WHY[line.reason],
  ];
}

function sources({ sources: ids }: ReceiptLine): string {
  const more = ids.length > SOURCES_SHOWN_MAX ? ` +${String(ids.length - SOURCES_SHOWN_MAX)}` : '';
  return ids.slice(0, SOURCES_SHOWN_MAX).map(shortId).join(' ') + more;
}

function state({ freshness, trust, relevance }: ReceiptLine): string {
  if (freshness !== null) return freshness.stale ? String(freshness.reason) : 'fresh';
  return trust === null || relevance === null ? '' : `${trust}, ${relevance.toFixed(2)}`;
}
