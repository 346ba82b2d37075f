/** Flushes without workflows: their own steps, run where the caller is. */
import { askFlush } from '#activities/flush/ask-flush.ts';
import { endFlush } from '#activities/flush/end-flush.ts';
import type { FlushPorts } from '#activities/flush/flush-ports.ts';
import { gatherFlush } from '#activities/flush/gather-flush.ts';
import { countsOf, keepFlush } from '#activities/flush/keep-flush.ts';
import { startDueFlushes } from '#activities/flush/start-due-flushes.ts';
import { writeFlush } from '#activities/flush/write-flush.ts';
import type { ExtractionResult } from '#core/extraction/result.ts';
import { runFlush } from '#core/flush/flush-run.ts';
import type { FlushDone, FlushInput } from '#core/ports/flush-runs.ts';
import type { Document } from '#core/records/document.ts';
import { linesText } from '#core/tiers/daily-text.ts';

/** Answers what it did, with the words of it. @throws VarveError as the steps do */
export async function flushHere(ports: FlushPorts, input: FlushInput): Promise<FlushDone> {
  const { signal } = new AbortController();
  const results: ExtractionResult[] = [];
  const blocks: Document[] = [];
  const { turns } = await runFlush(
    {
      gatherFlush: (each) => gatherFlush(ports, each),
      askFlush: async (each) => {
        try {
          return await askFlush(ports, each, { signal });
        } catch (error) {
          ports.platform.log.warn({ tenant: each.tenant, error }, 'no model read the turns');
          throw error;
        }
      },
      keepFlush: async (each) => {
        const kept = await keepFlush(ports, each);
        results.push(...kept);
        return countsOf(kept);
      },
      writeFlush: async (each) => {
        const block = await writeFlush(ports, each, { signal });
        if (block !== null) blocks.push(block);
        return { lines: block?.lines.length ?? 0 };
      },
      endFlush: (each) => endFlush(ports, each),
    },
    input,
  );
  const lines = blocks.flatMap((block) => block.lines);
  return { turns, results, daily: lines.length === 0 ? null : linesText(lines, '###') };
}

/** Where no tick comes: the flushes of a tenant that are due, as when their session fell silent. */
export async function flushDueHere(ports: FlushPorts, tenant: string): Promise<void> {
  const start = async (input: FlushInput): Promise<'Started'> => {
    await flushHere(ports, input);
    return 'Started';
  };
  await startDueFlushes(ports, { start }, tenant);
}
