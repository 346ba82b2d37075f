/** Providers of models, of the installation. */
import {
  decideProvider,
  decideRemoval,
  withCheck,
  type ModelProviderState,
} from '#core/model-provider-claim.ts';
import type { ModelProviderRecords } from '#core/ports/model-provider-records.ts';
import type { Owner } from '#core/records/policy-record.ts';

import type { Database, Tables } from './database.ts';
import { fenceOf } from './policies.ts';

export function modelProviderRecords(database: Database): ModelProviderRecords {
  const { tables } = database;
  const { modelProviders } = tables;
  return {
    get: (name) => database.read(() => modelProviders.get(name)),
    list: (limit, after) =>
      database.read(() =>
        modelProviders
          .all()
          .filter(({ name }) => after === undefined || name > after)
          .toSorted((a, b) => (a.name < b.name ? -1 : 1))
          .slice(0, limit),
      ),
    put: ({ name, owner }, provider, write) =>
      database.write(() => {
        const state = stateOf(tables, name, owner);
        const result = decideProvider(state, { name, owner, provider }, write);
        if (result.kind === 'Applied') modelProviders.put(result.record);
        return result;
      }),
    remove: ({ name, owner }, { epoch = 0 }) =>
      database.write(() => {
        const state = stateOf(tables, name, owner);
        const result = decideRemoval(state, owner, epoch);
        if (result.kind === 'Removed' && state.record !== null) modelProviders.remove(state.record);
        return result;
      }),
    recordCheck: (name, found) =>
      database.write(() => {
        const checked = withCheck(modelProviders.get(name), found);
        if (checked !== null) modelProviders.put(checked);
        return checked !== null;
      }),
  };
}

function stateOf(tables: Tables, name: string, { cluster }: Owner): ModelProviderState {
  return { record: tables.modelProviders.get(name), fence: fenceOf(tables, cluster) };
}
