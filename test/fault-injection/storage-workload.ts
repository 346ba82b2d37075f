/**
 * The process that a disk fails under: runs the script against the file of its argument and says on
 * its standard output what was acknowledged (`ack N`) and what was refused (`err N CODE`).
 */
import { writeSync } from 'node:fs';
import { VarveError } from '#core/errors.ts';
import type { Store } from '#core/ports/store.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { createPlatform } from '#providers/node/platform.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';
import { idOf, NOW, rulesAt } from '../conformance/samples.ts';
import { memoryFor, SCRIPT, TENANT, WRITES, type Write } from './storage-script.ts';

const STDOUT = 1;
const [file = ''] = process.argv.slice(2);
const rules = { ...rulesAt(NOW), by: 'prover' };

try {
  await using store = await openSqliteStore({
    file,
    platform: { ...createPlatform(), clock: () => NOW },
    analyzer: createTextAnalyzer(),
  });
  say('open');
  for (const step of SCRIPT) await Promise.all(step.map((write) => told(store, write)));
} catch (error) {
  if (!(error instanceof VarveError)) throw error;
  say(`end ${error.code}`);
}

async function told(store: Store, write: Write): Promise<void> {
  const number = String(WRITES.indexOf(write));
  try {
    await perform(store, write);
    say(`ack ${number}`);
  } catch (error) {
    // A programming error ends the process, and the proof with it.
    if (!(error instanceof VarveError)) throw error;
    say(`err ${number} ${error.code}`);
  }
}

async function perform(store: Store, { kind, wanted }: Write): Promise<void> {
  const memories = await Promise.all(wanted.map(memoryFor));
  const keys = wanted.map(({ n }) => ({ tenant: TENANT, id: idOf(n) }));
  const [memory] = memories;
  const [key] = keys;
  if (memory === undefined || key === undefined) return;
  switch (kind) {
    case 'Add':
      await store.memories.add(memory, rules);
      return;
    case 'AddMany':
      throwFirst(await store.memories.addMany(memories, rules));
      return;
    case 'Update': {
      const { content, contentHash, tokenCount, vector, embeddingGeneration, validFrom } = memory;
      const patch = { content, contentHash, tokenCount, vector, embeddingGeneration, validFrom };
      await store.memories.update(key, { content: patch, tags: memory.tags }, rules);
      return;
    }
    case 'Delete':
      await store.memories.delete(key, rules);
      return;
    case 'DeleteMany':
      throwFirst(await store.memories.deleteMany(keys, rules));
  }
}

function throwFirst(outcomes: readonly { ok: boolean; error?: VarveError }[]): void {
  const failed = outcomes.find(({ ok }) => !ok);
  if (failed?.error !== undefined) throw failed.error;
}

/** At once and whole, so that a kill right after an answer does not swallow its word. */
function say(line: string): void {
  writeSync(STDOUT, `${line}\n`);
}
