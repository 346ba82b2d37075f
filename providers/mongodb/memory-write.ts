/** One atomic write to a memory, announced to its scope before and folded into it after. */
import { setTimeout as sleep } from 'node:timers/promises';

import { VarveError } from '#core/errors.ts';
import type { NewId } from '#core/ports/platform.ts';
import type { WriteRules } from '#core/ports/write-rules.ts';
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import type { Memory } from '#core/records/memory.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Scope } from '#core/scope.ts';

import type { InTurn } from './in-turn.ts';
import type { HistoryTables } from './memory-history.ts';
import type { WriteIntent } from './scope-document.ts';
import type { VectorForm } from './vectors.ts';
import { announce, conclude, finishOlder, type IntentTables } from './write-intent.ts';

/** Tries against other writers of the same memory; 200 of them at once may each have to wait. */
const WRITE_TRIES_MAX = 256;
/** Longest pause before another try; writers that lost together come back apart. */
const PAUSE_MS_MAX = 50;

export interface MemoryTables extends IntentTables, HistoryTables {
  readonly newId: NewId;
  /** Of the store: writes that want the same key follow each other. */
  readonly inTurn: InTurn;
  readonly analyzer: TextAnalyzer;
  readonly vectorForm: VectorForm;
}

interface IntentOptions {
  readonly token: string;
  readonly rules: WriteRules;
}

type MemoryWrite = Omit<Extract<WriteIntent['of'], { kind: 'Memory' }>, 'kind'>;

export function intentOf(
  { id, contentHash }: Pick<Memory, 'id' | 'contentHash'>,
  write: MemoryWrite,
  { token, rules }: IntentOptions,
): WriteIntent {
  const { policy, now: at } = rules;
  return { token, id, contentHash, at, policy, of: { kind: 'Memory', ...write } };
}

/** Announces what a search sees and the scope's record does not tell. */
export function touchOf(
  { ids, bytes = 0 }: { ids: readonly string[]; bytes?: number },
  { token, rules }: IntentOptions,
): WriteIntent {
  const { policy, now: at } = rules;
  const [id = ''] = ids;
  return { token, id, contentHash: '', at, policy, of: { kind: 'Touch', ids, bytes } };
}

/**
 * Tries until a try has an outcome: null stands for another writer that was faster.
 * @throws VarveError CONFLICT where others kept being faster
 */
export async function untilWritten<T>(
  { id }: { readonly id: string },
  attempt: () => Promise<T | null>,
): Promise<T> {
  for (let tries = 0; tries < WRITE_TRIES_MAX; tries += 1) {
    const outcome = await attempt();
    if (outcome !== null) return outcome;
    await sleep(Math.random() * PAUSE_MS_MAX);
  }
  throw new VarveError('CONFLICT', 'Others kept changing the memory; try again.', {
    details: { id },
  });
}

/** Null where `write` answers that it did not happen. */
export async function writeAnnounced(
  tables: IntentTables,
  announced: {
    readonly scope: Scope;
    readonly intent: WriteIntent;
    /** Tokens of what is overwritten: writes that may still be owed to the scope. */
    readonly tokens: readonly string[];
  },
  write: () => Promise<boolean>,
): Promise<ScopeRecord | null> {
  const { scope, intent, tokens } = announced;
  await finishOlder(tables, await announce(tables, scope, [intent]), tokens);
  const written = await write();
  const verdict = written ? 'Happened' : 'DidNot';
  const record = await conclude(tables, scope, { token: intent.token, verdict });
  return written ? record : null;
}
