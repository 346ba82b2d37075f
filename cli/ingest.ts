/** Writes imported items into one tenant: memories and turns in their order, many in a call. */
import type { ImportItem, TurnItem } from './import/item.ts';
import { createMemoryBatch } from './ingest-memories.ts';
import { noteScope, type IngestReport, type IngestTarget } from './ingest-report.ts';
import type { Varve } from './open-varve.ts';

const TURNS_PER_CALL = 500;

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
  const memories = createMemoryBatch(varve, target, report);
  let waiting: TurnItem[] = [];
  const flush = async (): Promise<void> => {
    await appendTurns(varve, target, { turns: waiting, report });
    waiting = [];
  };
  for await (const item of items) {
    if (item.kind === 'memory') {
      await memories.add(item);
      continue;
    }
    const [first] = waiting;
    const full = waiting.length >= TURNS_PER_CALL;
    if (full || (first !== undefined && first.sessionId !== item.sessionId)) await flush();
    waiting.push(item);
  }
  await flush();
  await memories.flush();
  return report;
}

async function appendTurns(
  varve: Pick<Varve, 'conversation'>,
  { tenant, projectId }: IngestTarget,
  { turns, report }: { turns: readonly TurnItem[]; report: IngestReport },
): Promise<void> {
  const [first] = turns;
  if (first === undefined) return;
  const { sessionId } = first;
  const { appended } = await varve.conversation.append({
    tenant,
    sessionId,
    // Later sessions of the project find them.
    identifiers: { projectId },
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
