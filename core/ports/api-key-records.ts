/** Keys of callers. */
import type { ApiKey } from '../records/api-key.ts';

export interface ApiKeyRecords {
  /** False where the tenant has the most that it may have, or has the id. */
  add(key: ApiKey): Promise<boolean>;
  get(tenant: string, id: string): Promise<ApiKey | null>;
  /** By id, which is by age; at most `KEYS_MAX` and what was added at the same moment. */
  list(tenant: string): Promise<readonly ApiKey[]>;
  /** Whether there was one. From then on no process takes the key. */
  remove(tenant: string, id: string): Promise<boolean>;
}
