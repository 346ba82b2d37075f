/** Providers of models, of the installation. */
import {
  decideProvider,
  decideRemoval,
  withCheck,
  type ModelProviderState,
} from '#core/model-provider-claim.ts';
import type { ModelProviderRecords } from '#core/ports/model-provider-records.ts';
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import type { Owner } from '#core/records/policy-record.ts';

import type { Connection } from './connection.ts';
import { fenceOf } from './fences.ts';
import { recordTable } from './record-table.ts';

export function modelProviderRecords(connection: Connection): ModelProviderRecords {
  const providers = recordTable<ModelProviderRecord>(connection, {
    name: 'model_providers',
    key: ['name'],
    columns: { name: 'name', generation: 'generation', hash: 'hash', epoch: 'epoch' },
  });
  const stateOf = (name: string, { cluster }: Owner): ModelProviderState => {
    return { record: providers.find(name), fence: fenceOf(connection, cluster) };
  };
  return {
    get: (name) => connection.readOne(() => providers.find(name)),
    list: (limit, after = '') =>
      connection.read(() => providers.select('name > ? ORDER BY name LIMIT ?', [after, limit])),
    put: ({ name, owner }, provider, write) =>
      connection.write(() => {
        const result = decideProvider(stateOf(name, owner), { name, owner, provider }, write);
        if (result.kind === 'Applied') providers.put(result.record);
        return result;
      }),
    remove: ({ name, owner }, { epoch = 0 }) =>
      connection.write(() => {
        const result = decideRemoval(stateOf(name, owner), owner, epoch);
        if (result.kind === 'Removed') providers.remove(name);
        return result;
      }),
    recordCheck: (name, found) =>
      connection.write(() => {
        const checked = withCheck(providers.find(name), found);
        if (checked !== null) providers.put(checked);
        return checked !== null;
      }),
  };
}
