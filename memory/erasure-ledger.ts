/**
 * Erasures that outlive a restore: each is written to a ledger outside of the database before it
 * has its receipt, and a store whose ledger is ahead of it erases again before anybody reads it.
 *
 * Flow of an erasure: all of it is gone → the head of the store moves on → the ledger has the entry
 * → the receipt. So a backup that holds anything of it has a head below its entry.
 * Flow of a start: the ledger is ahead → the head says from where, and is level with it → what the
 * entries are of is erased again → the head says that it is done. A death at any point repeats it.
 */
import { VarveError } from '#core/errors.ts';
import type { ErasureJournal } from '#core/ports/erasure-journal.ts';
import type { Store } from '#core/ports/store.ts';
import type { ErasureEntry, ErasureHead } from '#core/records/erasure.ts';
import { eraseNamed } from './erase-again.ts';
import { resumeErasures, type EraseParts } from './erase.ts';

/** Entries that are erased at a time. */
const PORTION = 1_000;
/** Who erases again, as receipts name it. */
const BY = 'restore';

/**
 * The store with its ledger, level with it.
 * @throws VarveError CONFLICT for the ledger of another store, CORRUPT, and what an erasure throws
 */
export async function withErasureLedger(
  { store, platform }: EraseParts,
  journal: ErasureJournal,
): Promise<Store> {
  // By the store itself: the ledger has an entry of what is erased again.
  const again = await level({ store, platform }, journal);
  if (again > 0) platform.log.warn({ again }, 'a restored store erased again what it had lost');
  return notingStore(store, journal);
}

function notingStore(store: Store, journal: ErasureJournal): Store {
  const { erasures } = store;
  const finish: typeof erasures.finish = async (tenant, id, ending) => {
    const { pending } = await erasures.ledger(tenant);
    const ended = pending.find((each) => each.id === id);
    if (ended !== undefined) {
      const { store: of, number } = await erasures.moveHead((head) => {
        if (head === null) throw new VarveError('CORRUPT', 'The store has no head of erasures.');
        return { ...head, number: head.number + 1 };
      });
      await journal.write({ number, store: of, tenant, id, of: ended.of });
    }
    return erasures.finish(tenant, id, ending);
  };
  return { ...store, erasures: { ...erasures, finish } };
}

/** How many erasures were done again. */
async function level(parts: EraseParts, journal: ErasureJournal): Promise<number> {
  const { erasures } = parts.store;
  const last = await journal.last();
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
  for await (const portion of portionsOf(journal.after(againAfter ?? head.number))) {
    done += await eraseEntries(parts, portion);
  }
  // One that died when all was gone but from the files.
  await resumeErasures(parts, Number.MAX_SAFE_INTEGER);
  await erasures.moveHead((now) => ({ ...(now ?? head), againAfter: null }));
  return done;
}

/** Of a store that nobody opened with a ledger before: it may be new, and is not another's. */
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
    'The ledger of erasures is of another store. Set VARVE_ERASURE_LEDGER to the folder of this ' +
      'one, or to a new folder; erase by receipts of another one with varve erase --receipts.',
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
    const { outcomes } = await eraseNamed(parts, asked);
    done += outcomes.filter(({ outcome }) => outcome === 'Erased').length;
  }
  return done;
}
