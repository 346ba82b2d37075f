/**
 * Repeats erasures that restoring a backup has undone. Receipts kept outside the backup say which.
 * A receipt names no one, so every name in the store is compared with it.
 */
import { isAsWritten, isPendingOf } from '#core/erasure/erasure-receipt.ts';
import { VarveError } from '#core/errors.ts';
import type { PartTarget } from '#core/ports/erasure-records.ts';
import type { ErasureReceipt, ErasureTarget } from '#core/records/erasure.ts';
import { erase, type EraseParts } from './erase.ts';
import { receiptPages } from './erase-activities.ts';

const PARTS = [
  'Memory',
  'Session',
  'User',
  'Turn',
] as const satisfies readonly PartTarget['kind'][];

/**
 * `Known`: the store has the receipt, or has erased by it before. `Absent`: the store has
 * no data of the target. `Present`: the store holds it, and nothing was written.
 */
type AgainOutcome = 'Known' | 'Absent' | 'Present' | 'Erased';

interface ErasedAgain {
  readonly id: string;
  readonly outcome: AgainOutcome;
}

/** What a receipt or a ledger entry says was erased. */
type Named = Pick<ErasureReceipt, 'id' | 'of'>;

interface Request<R> {
  readonly tenant: string;
  readonly receipts: readonly R[];
  readonly by: string;
  readonly dryRun: boolean;
}

/** @throws VarveError INVALID_INPUT for a changed receipt, and what `erase` throws */
export async function eraseAgain(
  parts: EraseParts,
  request: Request<ErasureReceipt>,
): Promise<readonly ErasedAgain[]> {
  const { receipts } = request;
  const { digest } = parts.platform;
  const changed = receipts.find((receipt) => !isAsWritten(digest, receipt));
  if (changed !== undefined) {
    const which = `Receipt ${String(changed.sequence)}`;
    const message = `${which} has changed since it was written, or belongs to another tenant.`;
    throw new VarveError('INVALID_INPUT', message);
  }
  return eraseNamed(parts, request);
}

/** Does the same for anything that names its target as receipts do. */
export async function eraseNamed(
  parts: EraseParts,
  { tenant, receipts, by, dryRun }: Request<Named>,
): Promise<readonly ErasedAgain[]> {
  const known = await knownIds(parts, tenant);
  const unknown = receipts.filter(({ id }) => !known.has(id));
  const targets = await targetsOf(parts, tenant, unknown);
  const outcomes: ErasedAgain[] = [];
  for (const { id } of receipts) {
    const target = targets.get(id);
    if (known.has(id)) outcomes.push({ id, outcome: 'Known' });
    else if (target === undefined) outcomes.push({ id, outcome: 'Absent' });
    else if (dryRun) outcomes.push({ id, outcome: 'Present' });
    else {
      const receipt = await erase(parts, { tenant, target, by, again: id });
      outcomes.push({ id, outcome: receipt === null ? 'Absent' : 'Erased' });
    }
  }
  return outcomes;
}

/** Returns the ids of the store's receipts and of those that it has erased by again. */
async function knownIds({ store }: EraseParts, tenant: string): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for await (const page of receiptPages(store.erasures, tenant)) {
    for (const { id, again } of page) {
      known.add(id);
      if (again !== null) known.add(again);
    }
  }
  return known;
}

/** Maps receipt ids to the targets that the store still names. */
async function targetsOf(
  { store, platform: { digest } }: EraseParts,
  tenant: string,
  receipts: readonly Named[],
): Promise<ReadonlyMap<string, ErasureTarget>> {
  const targets = new Map<string, ErasureTarget>();
  for (const { id, of } of receipts) if (of.kind === 'Tenant') targets.set(id, { kind: of.kind });
  for (const kind of PARTS) {
    const open = receipts.filter(({ of }) => of.kind === kind);
    if (open.length === 0) continue;
    for await (const target of store.erasures.candidates(tenant, kind)) {
      const named = open.find(({ id, of }) => isPendingOf(digest, { id, of }, target));
      if (named !== undefined) targets.set(named.id, target);
    }
  }
  return targets;
}
