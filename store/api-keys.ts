/** Keys of callers; nothing of a revoked key is kept. */
import type { ApiKeyRecords } from '#core/ports/store.ts';
import { KEYS_MAX } from '#core/records/api-key.ts';
import { API_KEYS } from './record-kinds-and-indexes.ts';
import { equal } from './storage-driver.ts';
import type { StoreParts } from './store-parts.ts';

/** More than a tenant may have, since concurrent calls may exceed that limit. */
const LISTED_MAX = 2 * KEYS_MAX;

export function apiKeyRecords({ driver }: Pick<StoreParts, 'driver'>): ApiKeyRecords {
  return {
    async add(key) {
      const others = await driver.count(API_KEYS, equal({ tenant: key.tenant }));
      return others < KEYS_MAX && driver.insert(API_KEYS, key);
    },
    get: (tenant, id) => driver.get(API_KEYS, [tenant, id]),
    list: (tenant) => driver.scan(API_KEYS, { where: equal({ tenant }), limit: LISTED_MAX }),
    async remove(tenant, id) {
      const erased = await driver.erase(API_KEYS, equal({ tenant, id }), 1);
      return erased > 0;
    },
  };
}
