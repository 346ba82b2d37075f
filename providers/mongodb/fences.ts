/**
 * Which leader of a cluster is the latest: writes of earlier ones are refused.
 *
 * Flow: the fence is written first, then stamped on every record of the cluster. A writer compares
 * both before it writes; its write meets the epoch that it read, or fails. Where it writes a record
 * that no fence of its cluster could stamp, it looks at the fence once more afterwards, and takes
 * the record back where it came too late.
 */
import { byId, type Keyed, type Table } from './table.ts';

export interface FenceDocument extends Keyed {
  readonly _id: { readonly cluster: string };
  readonly epoch: number;
}

/** A record that bears an epoch and its owner. */
export interface Stamped extends Keyed {
  readonly record: object;
}

export type Fences = Table<FenceDocument>;

/** The latest leader that fenced a cluster; 0 where none did. */
export async function fenceOf(fences: Fences, cluster: string): Promise<number> {
  return (await fences.first(byId({ cluster })))?.epoch ?? 0;
}

/** Repeatable, so that a death in between is mended by the next call. False for an earlier one. */
export async function fenceCluster(
  fences: Fences,
  stamped: readonly Pick<Table<Stamped>, 'updateAll'>[],
  { cluster, epoch }: { readonly cluster: string; readonly epoch: number },
): Promise<boolean> {
  await fences.insert({ _id: { cluster }, epoch });
  await fences.update({ ...byId({ cluster }), epoch: { $lt: epoch } }, { $set: { epoch } });
  if ((await fenceOf(fences, cluster)) > epoch) return false;
  const ofCluster = { 'record.owner.cluster': cluster };
  const earlier = [{ 'record.epoch': { $lt: epoch } }, { 'record.epoch': null }];
  const change = { $set: { 'record.epoch': epoch } };
  for (const table of stamped) await table.updateAll({ ...ofCluster, $or: earlier }, change);
  return true;
}

/** The condition of bearing an epoch; documents of an earlier version bear none, which is 0. */
export function atEpoch(epoch: number): Record<string, unknown> {
  return { 'record.epoch': epoch === 0 ? { $in: [0, null] } : epoch };
}
