/** Providers of models, of the installation. */
import { VarveError } from '#core/errors.ts';
import {
  decideProvider,
  decideRemoval,
  withCheck,
  type ModelProviderState,
} from '#core/model-provider-claim.ts';
import type { ModelProviderRecords } from '#core/ports/model-provider-records.ts';
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import type { Owner } from '#core/records/policy-record.ts';

import { atEpoch, fenceOf, type Fences } from './fences.ts';
import { byId, type Keyed, type Table } from './table.ts';

/** The one collection beside that of calibrations that is of no tenant. */
export interface ModelProviderDocument extends Keyed {
  readonly _id: { readonly name: string };
  readonly record: Omit<ModelProviderRecord, 'name'>;
}

export interface ModelProviderTables {
  readonly modelProviders: Table<ModelProviderDocument>;
  readonly fences: Fences;
}

/** Tries against other leaders and workers that write the same provider. */
const TRIES_MAX = 16;

export function modelProviderRecords(tables: ModelProviderTables): ModelProviderRecords {
  const { modelProviders } = tables;
  return {
    get: (name) => find(tables, name),
    async list(limit, after = '') {
      const later = { '_id.name': { $gt: after } };
      const found = await modelProviders.select(later, { sort: { '_id.name': 1 }, limit });
      return found.map(recordOf);
    },
    put: ({ name, owner }, provider, write) =>
      decided(name, async () => {
        const state = await stateOf(tables, name, owner);
        const result = decideProvider(state, { name, owner, provider }, write);
        if (result.kind !== 'Applied') return result;
        if (!(await writeOver(tables, state.record, result.record))) return null;
        if (state.record !== null) return result;
        // No fence could stamp a record that was not there: see fences.ts.
        if ((await fenceOf(tables.fences, owner.cluster)) <= result.record.epoch) return result;
        return (await modelProviders.remove(asRead(result.record))) ? null : result;
      }),
    remove: ({ name, owner }, { epoch = 0 }) =>
      decided(name, async () => {
        const state = await stateOf(tables, name, owner);
        const result = decideRemoval(state, owner, epoch);
        if (result.kind !== 'Removed' || state.record === null) return result;
        return (await modelProviders.remove(asRead(state.record))) ? result : null;
      }),
    recordCheck: (name, found) =>
      decided(name, async () => {
        const before = await find(tables, name);
        const checked = withCheck(before, found);
        if (checked === null || before === null) return false;
        return (await writeOver(tables, before, checked)) ? true : null;
      }),
  };
}

/** Tries until an attempt answers; null says that somebody else wrote in between. */
async function decided<T>(name: string, attempt: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const answer = await attempt();
    if (answer !== null) return answer;
  }
  throw new VarveError('CONFLICT', 'Others kept writing the model provider; try again.', {
    details: { name },
  });
}

function recordOf({ _id, record }: ModelProviderDocument): ModelProviderRecord {
  return { ...record, name: _id.name };
}

async function find(
  { modelProviders }: ModelProviderTables,
  name: string,
): Promise<ModelProviderRecord | null> {
  const found = await modelProviders.first(byId({ name }));
  return found === null ? null : recordOf(found);
}

async function stateOf(
  tables: ModelProviderTables,
  name: string,
  { cluster }: Owner,
): Promise<ModelProviderState> {
  return { record: await find(tables, name), fence: await fenceOf(tables.fences, cluster) };
}

/** Writes `after` where the record is still what was read. */
async function writeOver(
  { modelProviders }: ModelProviderTables,
  before: ModelProviderRecord | null,
  after: ModelProviderRecord,
): Promise<boolean> {
  const { name, ...record } = after;
  const document = { _id: { name }, record };
  return before === null
    ? modelProviders.insert(document)
    : modelProviders.replace(asRead(before), document);
}

function asRead({ name, owner, generation, epoch, check }: ModelProviderRecord) {
  const as = { 'record.owner.uid': owner.uid, 'record.check': check };
  return { ...byId({ name }), 'record.generation': generation, ...as, ...atEpoch(epoch) };
}
