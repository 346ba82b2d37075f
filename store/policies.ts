/**
 * Policies of tenants, and model providers: who declared them, and which leader of a cluster is the
 * latest. Writes of earlier leaders are refused.
 *
 * Flow of a fence: it is written first, then stamped on every record of the cluster. A writer
 * compares both before it writes, and its commit fails if the record was stamped in between. If it
 * writes a record that no fence of its cluster could stamp, it reads the fence again afterwards,
 * and takes the record back if it was too late.
 */
import { VarveError } from '#core/errors.ts';
import {
  decideProvider,
  decideRemoval,
  withCheck,
  decidePut,
  decideMove,
  decideRelease,
} from '#core/policy/policy-ownership.ts';
import type { ModelProviderRecords, PolicyRecords } from '#core/ports/policy-records.ts';
import type { Owner } from '#core/records/policy.ts';
import { equal, type RecordKind } from './storage-driver.ts';
import { FENCES, MODEL_PROVIDERS, POLICIES, type FenceRecord } from './record-kinds-and-indexes.ts';
import type { StoreParts } from './store-parts.ts';
import { readAhead, type AnchoredWrite } from './retry-concurrent-writes.ts';

/**
 * Maximum rounds of one put: the second one sees the fence that made the first take its write back.
 */
const ROUNDS_MAX = 4;
/** Maximum records that a fence stamps at once. */
const STAMPED_AT_ONCE = 200;

interface Stamped {
  readonly owner: Owner;
  readonly epoch: number;
}

export function policyRecords(parts: StoreParts): PolicyRecords {
  const { driver, writes } = parts;
  return {
    get: (tenant) => driver.get(POLICIES, [tenant]),
    list: (limit, after = '') => driver.scan(POLICIES, { where: [['tenant', '>', after]], limit }),
    put: (owner, policy, write) =>
      putFenced(parts, POLICIES, policy.tenant, {
        cluster: owner.cluster,
        decide: (state) => decidePut(state, { owner, policy }, write),
        written: (result) => (result.kind === 'Applied' ? result.record : undefined),
      }),
    fence: (cluster, epoch) => fenceCluster(parts, cluster, epoch),
    release: (tenant, owner, write) =>
      writes.run(
        POLICIES,
        [tenant],
        fenced(owner.cluster, async ({ record, set }, fence) => {
          const result = decideRelease({ record, fence }, owner, write);
          if (result.kind === 'Released') set(result.record);
          return result;
        }),
      ),
    move: (tenant, namespace) =>
      writes.run(POLICIES, [tenant], ({ record, set }) => {
        const result = decideMove(record, namespace);
        if (result.kind === 'Moved') set(result.record);
        return result;
      }),
  };
}

export function modelProviderRecords(parts: StoreParts): ModelProviderRecords {
  const { driver, writes } = parts;
  return {
    get: (name) => driver.get(MODEL_PROVIDERS, [name]),
    list: (limit, after = '') =>
      driver.scan(MODEL_PROVIDERS, { where: [['name', '>', after]], limit }),
    put: ({ name, owner }, provider, write) =>
      putFenced(parts, MODEL_PROVIDERS, name, {
        cluster: owner.cluster,
        decide: (state) => decideProvider(state, { name, owner, provider }, write),
        written: (result) => (result.kind === 'Applied' ? result.record : undefined),
      }),
    remove: ({ name, owner }, { epoch = 0 }) =>
      writes.run(
        MODEL_PROVIDERS,
        [name],
        fenced(owner.cluster, async ({ record, set }, fence) => {
          const result = decideRemoval({ record, fence }, owner, epoch);
          if (result.kind === 'Removed') set(null);
          return result;
        }),
      ),
    recordCheck: (name, found) =>
      writes.run(MODEL_PROVIDERS, [name], ({ record, set }) => {
        const checked = withCheck(record, found);
        if (checked !== null) set(checked);
        return checked !== null;
      }),
  };
}

/** An operation that receives the latest fence of a cluster. */
function fenced<R extends object, T>(
  cluster: string,
  run: (transaction: Parameters<AnchoredWrite<R, T>['run']>[0], fence: number) => Promise<T>,
): AnchoredWrite<R, T> {
  return {
    reads: [readAhead(FENCES, [cluster])],
    run: async (transaction) => {
      const fence = await transaction.get(FENCES, [cluster]);
      return run(transaction, fence?.epoch ?? 0);
    },
  };
}

interface FencedPut<R, Result> {
  readonly cluster: string;
  readonly decide: (state: { record: R | null; fence: number }) => Result;
  /** Returns what to write; undefined if there is nothing to write. */
  readonly written: (result: Result) => R | undefined;
}

async function putFenced<R extends Stamped & object, Result>(
  parts: StoreParts,
  kind: RecordKind<R>,
  key: string,
  { cluster, decide, written }: FencedPut<R, Result>,
): Promise<Result> {
  const { driver, writes } = parts;
  for (let rounds = 0; rounds < ROUNDS_MAX; rounds += 1) {
    let before: R | null = null;
    const result = await writes.run(
      kind,
      [key],
      fenced<R, Result>(cluster, async ({ record, set }, fence) => {
        before = record;
        const decided = decide({ record, fence });
        const after = written(decided);
        if (after !== undefined) set(after);
        return decided;
      }),
    );
    const record = written(result);
    const stamped = before as R | null;
    if (record === undefined || stamped?.owner.cluster === cluster) return result;
    const fence = await driver.get(FENCES, [cluster]);
    if ((fence?.epoch ?? 0) <= record.epoch) return result;
    // If the record has changed since, a later leader has stamped it, and it stays.
    const isTakenBack = await writes.run(kind, [key], (transaction) => {
      const isOwn = JSON.stringify(transaction.record) === JSON.stringify(record);
      if (isOwn) transaction.set(stamped);
      return isOwn;
    });
    if (!isTakenBack) return result;
    // Decide again; the fence is above the writer's epoch by now.
  }
  throw new VarveError('CONFLICT', `Leaders kept changing while ${kind.name} ${key} was written.`, {
    details: { roundsMax: ROUNDS_MAX },
  });
}

/** Repeatable: the next call completes what a crash left undone. */
async function fenceCluster(parts: StoreParts, cluster: string, epoch: number): Promise<boolean> {
  const { writes } = parts;
  const isLatest = await writes.run(FENCES, [cluster], ({ record, set }) => {
    const latest = record?.epoch ?? 0;
    if (latest < epoch) set({ cluster, epoch });
    return latest <= epoch;
  });
  if (!isLatest) return false;
  await stampAll(parts, POLICIES, { cluster, epoch });
  await stampAll(parts, MODEL_PROVIDERS, { cluster, epoch });
  return true;
}

async function stampAll<R extends Stamped & object>(
  { driver, writes }: StoreParts,
  kind: RecordKind<R>,
  { cluster, epoch }: FenceRecord,
): Promise<void> {
  for (;;) {
    const earlier = await driver.scan(kind, {
      where: [...equal({ cluster }), ['epoch', '<', epoch]],
      limit: STAMPED_AT_ONCE,
    });
    if (earlier.length === 0) return;
    await Promise.all(
      earlier.map((found) =>
        writes.run(kind, [found[kind.key[0] as keyof R] as string], ({ record, set }) => {
          const isEarlier = record !== null && record.owner.cluster === cluster;
          if (isEarlier && record.epoch < epoch) set({ ...record, epoch });
        }),
      ),
    );
  }
}
