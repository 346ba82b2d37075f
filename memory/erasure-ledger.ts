/**
 * Makes erasures survive a restore: each one is written to a ledger outside the database before it
 * gets its receipt. A store whose ledger is ahead erases again before anybody reads it.
 *
 * Flow of an erasure: all data is gone → the head of the store advances → the ledger gets the
 * entry → the receipt. So a backup that holds any of the data has a head below the entry.
 *
 * Flow of a start: the ledger is ahead → the head records where from, and catches up → the targets
 * of the entries are erased again → the head records completion. A crash at any point repeats the
 * flow.
 */
import { VarveError } from '#core/errors.ts';
import type { OutsideLedger } from '#core/ports/erasure-records.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import type { Store } from '#core/ports/store.ts';
import type { ErasureEntry, ErasureHead } from '#core/records/erasure.ts';
import { eraseNamed } from './erase-after-restore.ts';
import { resumeErasures, type EraseParts } from './erase.ts';

/** Entries to erase at a time. */
const PORTION = 1_000;
/** The principal that receipts name for repeated erasures. */
const BY = 'restore';

/**
 * Returns the store with its ledger, after catching up with it.
 * @throws VarveError CONFLICT for the ledger of another store, CORRUPT, and what an erasure throws
 */
export async function withErasureLedger(
  { store, platform }: Pick<EraseParts, 'store' | 'platform'>,
  ledger: OutsideLedger,
): Promise<Store> {
  // Uses the bare store, since the ledger already has the entries of what is erased again; and no
  // workflows, since nobody may read the store before it has caught up.
  const parts = { store, platform, refreshTrigger: NO_REFRESH_TRIGGER };
  const again = await level(parts, ledger);
  if (again > 0) platform.log.warn({ again }, 'repeated erasures that the restored store had lost');
  return notingStore(store, ledger);
}

function notingStore(store: Store, ledger: OutsideLedger): Store {
  const { erasures } = store;
  const finish: typeof erasures.finish = async (tenant, id, ending) => {
    const { pending } = await erasures.ledger(tenant);
    const ended = pending.find((each) => each.id === id);
    if (ended !== undefined) {
      const { store: of, number } = await erasures.moveHead((head) => {
        if (head === null) throw new VarveError('CORRUPT', 'The store has no head of erasures.');
        return { ...head, number: head.number + 1 };
      });
      await ledger.write({ number, store: of, tenant, id, of: ended.of });
    }
    return erasures.finish(tenant, id, ending);
  };
  return { ...store, erasures: { ...erasures, finish } };
}

/** Returns how many erasures were repeated. */
async function level(parts: EraseParts, ledger: OutsideLedger): Promise<number> {
  const { erasures } = parts.store;
  const last = await ledger.last();
  const head = (await erasures.head()) ?? (await firstHead(parts, last));
  if (last === null) return 0;
  if (last.store !== head.store) throw another();
  const isBehind = last.number > head.number;
  if (!isBehind && head.againAfter === null) return 0;
  const { againAfter } = await erasures.moveHead((now) => ({
    ...(now ?? head),
    number: Math.max(last.number, now?.number ?? 0),
    againAfter: now?.againAfter ?? head.number,
  }));
  let done = 0;
  for await (const portion of portionsOf(ledger.after(againAfter ?? head.number))) {
    done += await eraseEntries(parts, portion);
  }
  // Completes an erasure that crashed when only the database files were left.
  await resumeErasures(parts, Number.MAX_SAFE_INTEGER);
  await erasures.moveHead((now) => ({ ...(now ?? head), againAfter: null }));
  return done;
}

/** Returns the first head of a store never opened with a ledger; refuses another store's ledger. */
async function firstHead(
  { store, platform }: EraseParts,
  last: ErasureEntry | null,
): Promise<ErasureHead> {
  const [tenant] = last === null ? [] : await store.embeddings.tenants({ after: null, limit: 1 });
  if (tenant !== undefined) throw another();
  const first = { store: last?.store ?? platform.newId(), number: last?.number ?? 0 };
  return store.erasures.moveHead((head) => head ?? { name: 'head', ...first, againAfter: null });
}

function another(): VarveError {
  return new VarveError(
    'CONFLICT',
    'The ledger of erasures belongs to another store. Set VARVE_ERASURE_LEDGER to the folder of ' +
      'this store, or to a new folder; to apply receipts of another store, run varve erase ' +
      '--receipts.',
  );
}

async function* portionsOf(
  entries: AsyncIterable<ErasureEntry>,
): AsyncIterable<readonly ErasureEntry[]> {
  let portion: ErasureEntry[] = [];
  for await (const entry of entries) {
    portion.push(entry);
    if (portion.length < PORTION) continue;
    yield portion;
    portion = [];
  }
  yield portion;
}

async function eraseEntries(parts: EraseParts, entries: readonly ErasureEntry[]): Promise<number> {
  let done = 0;
  for (const [tenant, receipts] of Map.groupBy(entries, (entry) => entry.tenant)) {
    const asked = { tenant, receipts, by: BY, dryRun: false };
    const outcomes = await eraseNamed(parts, asked);
    done += outcomes.filter(({ outcome }) => outcome === 'Erased').length;
  }
  return done;
}
