/** Writes imported items into one tenant: memories one by one, turns in order and in bulk. */
import { VarveError } from '#core/errors.ts';
import { IDENTIFIER_OF, type Identifiers } from '#core/identifiers.ts';
import type { Layer } from '#core/layer.ts';
import type { ImportItem, MemoryItem, TurnItem } from './import/item.ts';
import type { Varve } from './open-varve.ts';

const TURNS_PER_CALL = 500;

export interface IngestTarget {
  readonly tenant: string;
  /** Where memories go whose input names no layer. */
  readonly projectId: string;
}

export interface IngestReport {
  added: number;
  updated: number;
  unchanged: number;
  turns: number;
  /** What was written to, by layer and identifier, in the order of first use. */
  readonly scopes: Map<string, { readonly layer: Layer; readonly identifiers: Identifiers }>;
  /** Ids of the memories that were added, in order, by key where the input gave one. */
  readonly memoryIds: Map<string, string>;
}

/** Keys make a second import of the same file an update of what changed. */
export async function ingest(
  items: AsyncIterable<ImportItem>,
  varve: Pick<Varve, 'memory' | 'conversation'>,
  target: IngestTarget,
): Promise<IngestReport> {
  const report: IngestReport = {
    added: 0,
    updated: 0,
    unchanged: 0,
    turns: 0,
    scopes: new Map(),
    memoryIds: new Map(),
  };
  let waiting: TurnItem[] = [];
  const flush = async (): Promise<void> => {
    await appendTurns(varve, target, { turns: waiting, report });
    waiting = [];
  };
  for await (const item of items) {
    if (item.kind === 'memory') {
      await addMemory(varve, target, { item, report });
      continue;
    }
    const [first] = waiting;
    const full = waiting.length >= TURNS_PER_CALL;
    if (full || (first !== undefined && first.sessionId !== item.sessionId)) await flush();
    waiting.push(item);
  }
  await flush();
  return report;
}

async function appendTurns(
  varve: Pick<Varve, 'conversation'>,
  { tenant }: IngestTarget,
  { turns, report }: { turns: readonly TurnItem[]; report: IngestReport },
): Promise<void> {
  const [first] = turns;
  if (first === undefined) return;
  const { sessionId } = first;
  const { appended } = await varve.conversation.append({
    tenant,
    sessionId,
    turns: turns.map(({ id, role, speaker, text, at }) => ({
      ...(speaker === null ? {} : { speaker }),
      id,
      role,
      content: text,
      at,
    })),
  });
  report.turns += appended;
  report.unchanged += turns.length - appended;
  noteScope(report, 'session', { sessionId });
}

async function addMemory(
  varve: Pick<Varve, 'memory'>,
  { tenant, projectId }: IngestTarget,
  { item, report }: { item: MemoryItem; report: IngestReport },
): Promise<void> {
  const layer = item.layer ?? 'project';
  const identifiers = item.layer === null ? { projectId } : item.identifiers;
  const { text: content, key, at, tags } = item;
  const metadata = JSON.parse(JSON.stringify(item.metadata)) as Record<string, string>;
  try {
    const { memory } = await varve.memory.add({
      tenant,
      layer,
      identifiers,
      content,
      metadata,
      tags: [...tags],
      ...(key === null ? {} : { key }),
      ...(at === null ? {} : { at }),
    });
    noteMemory(report, { layer, identifiers }, memory);
  } catch (error) {
    const id = existingId(error);
    if (id === null) throw error;
    noteScope(report, layer, identifiers);
    const before = await varve.memory.get({ tenant, id });
    if (before?.content === content) {
      report.unchanged += 1;
      return;
    }
    await varve.memory.update({ tenant, id, content });
    report.updated += 1;
  }
}

/** Counts a memory that was added, and the scope that it is in. */
export function noteMemory(
  report: IngestReport,
  { layer, identifiers }: { layer: Layer; identifiers: Identifiers },
  { id, key }: { id: string; key: string | null },
): void {
  report.added += 1;
  report.memoryIds.set(key ?? id, id);
  noteScope(report, layer, identifiers);
}

/** The memory that already has the key, as the store's CONFLICT names it. */
function existingId(error: unknown): string | null {
  if (!(error instanceof VarveError && error.code === 'CONFLICT')) return null;
  const { id } = error.details;
  return typeof id === 'string' ? id : null;
}

function noteScope(report: IngestReport, layer: Layer, identifiers: Identifiers): void {
  const key = `${layer}/${identifiers[IDENTIFIER_OF[layer]] ?? ''}`;
  report.scopes.set(key, { layer, identifiers });
}
