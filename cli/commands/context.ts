/** `varve context`: shows the context that an agent would get for a question, and why. */
import { SILENT_LOG } from '#core/ports/platform.ts';
import { print, type TenantOptions } from '../memory-files/memory-file-options.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import type { ContextAnswer } from '#api/schemas/context.ts';
import type { ReceiptLine } from '#core/context/context-receipt.ts';
import type { Config } from '../config.ts';
import { requireStore } from '../open-library-for-command.ts';
import type { LayerIds } from '../shared-command-options.ts';
import { nothingFoundText } from '../nothing-found-text.ts';
import { openVarve, type Varve } from '../open-varve.ts';
import { renderTable, forOutput, shortId } from '../terminal-text.ts';
import { inputFromOptions } from '../operation-input.ts';

export async function contextCommand(
  config: Config,
  query: string,
  options: TenantOptions & LayerIds,
): Promise<void> {
  const asked = inputFromOptions(OPERATIONS.context.assemble, options, {
    query,
    layerSummaries: true,
  });
  await requireStore(config);
  const { dataDir, settings } = config;
  await using varve = await openVarve({ dataDir, settings, log: SILENT_LOG });
  const answer = await varve.context.assemble(asked);
  if (options.json === true) {
    print(answer, null);
    return;
  }
  const text = forOutput(answer.text, process.stdout);
  const { degradedReason } = answer;
  const degraded = degradedReason === null ? '' : `\n${degradedReason}`;
  const empty = await whyEmpty(varve, asked, answer);
  process.stdout.write(`${text}\n\n${renderReceipt(answer)}${degraded}${empty}\n`);
}

/** Says what is stored and what would open more, if the context contains nothing of it. */
async function whyEmpty(
  varve: Varve,
  { tenant, identifiers, query }: Parameters<Varve['context']['assemble']>[0],
  { receipt }: ContextAnswer,
): Promise<string> {
  const hasMemory = receipt.some(({ kind, included }) => included && !ALWAYS_IN.has(kind));
  if (hasMemory) return '';
  const answer = await varve.memory.search({ tenant, identifiers, query });
  return answer.hits.length === 0 ? `\n${nothingFoundText(answer, tenant)}` : '';
}

const ALWAYS_IN: ReadonlySet<ReceiptLine['kind']> = new Set(['instructions', 'query']);

const SOURCES_SHOWN_MAX = 1;
/** Lines of the receipt shown for included and excluded parts; the rest is counted. */
const INCLUDED_SHOWN_MAX = 24;
const EXCLUDED_SHOWN_MAX = 6;

/** What people call the kinds of parts. */
const PART: Readonly<Record<ReceiptLine['kind'], string>> = {
  instructions: 'instructions',
  layerSummary: 'summary',
  sessionSummary: 'session',
  hotTurn: 'latest turn',
  pastTurn: 'earlier turn',
  relatedEntity: 'related memory',
  query: 'question',
};

const WHY: Readonly<Record<ReceiptLine['reason'], string>> = {
  Always: 'always',
  Recent: 'of this session',
  Relevant: 'near question',
  RoomLeft: 'room was left',
  LatestSession: 'of this session',
  OpenLayer: 'of an open layer',
  OverLimit: 'no room left',
  OverShare: 'its share is full',
  NoText: 'not summarized yet',
  Duplicate: 'said already',
  Superseded: 'replaced by a newer',
};

/** Renders the receipt of a context: what is in, what is out, and why. */
export function renderReceipt({ receipt, tokens, limit }: ContextAnswer): string {
  const included = receipt.filter((line) => line.included);
  const excluded = receipt.filter((line) => !line.included);
  const shown = [
    ...included.slice(0, INCLUDED_SHOWN_MAX),
    ...excluded.slice(0, EXCLUDED_SHOWN_MAX),
  ].map(row);
  const more = [
    ...moreOf(included.length - INCLUDED_SHOWN_MAX, 'in'),
    ...moreOf(excluded.length - EXCLUDED_SHOWN_MAX, 'out'),
  ];
  const rest = more.length === 0 ? '' : `\n  … and ${more.join(', ')}`;
  const head = ['', 'part', 'layer', 'tokens', 'sources', 'state', 'score', 'why'];
  return `${renderTable(head, shown)}${rest}\n  ${String(tokens)} of ${String(limit)} tokens used`;
}

function moreOf(left: number, where: string): string[] {
  return left > 0 ? [`${String(left)} more ${where}`] : [];
}

function row(line: ReceiptLine): readonly string[] {
  return [
    line.included ? 'in' : 'out',
    line.depth === null ? PART[line.kind] : `${PART[line.kind]} (${line.depth})`,
    line.layer ?? '',
    String(line.tokens),
    sources(line),
    stateOf(line),
    line.relevance?.toFixed(2) ?? '',
    WHY[line.reason],
  ];
}

function sources({ sources: ids }: ReceiptLine): string {
  const more = ids.length > SOURCES_SHOWN_MAX ? ` +${String(ids.length - SOURCES_SHOWN_MAX)}` : '';
  return ids.slice(0, SOURCES_SHOWN_MAX).map(shortId).join(' ') + more;
}

/** Whether a summary is fresh; of other parts, how far they can be trusted. */
function stateOf({ freshness, trust }: ReceiptLine): string {
  if (freshness === null) return trust ?? '';
  return freshness.stale ? String(freshness.reason) : 'fresh';
}
