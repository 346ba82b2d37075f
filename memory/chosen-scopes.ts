/** Walks over the scopes of a tenant, and changes of many records at once. */
import { LAYERS, type Layer } from '#core/layer.ts';
import type { Store } from '#core/ports/store.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';

interface Ports {
  readonly store: Pick<Store, 'scopes'>;
}

/** Scopes read at once: some milliseconds, in which a store of one file answers no other call. */
const SCOPES_PER_PAGE = 1_000;
/** A million scopes; an order for one of them names it, and reads no other. */
const PAGES_MAX = 1_000;
/** Writers that may come in between before a scope is left as they wrote it. */
const REPLACE_TRIES_MAX = 5;

/** Which scopes an order is for: all of a tenant, those of a layer, or those of an id. */
export interface ScopeChoice {
  readonly tenant: string;
  readonly layer?: Layer | undefined;
  readonly scopeId?: string | undefined;
}

/** The scopes of a choice that were written to, a page at a time, up to a million of a tenant. */
export async function* chosenScopes(
  { store }: Ports,
  { tenant, layer, scopeId }: ScopeChoice,
): AsyncGenerator<ScopeRecord> {
  if (scopeId !== undefined) {
    for (const each of layer === undefined ? LAYERS : [layer]) {
      const record = await store.scopes.get({ tenant, layer: each, scopeId });
      if (record.version > 0) yield record;
    }
    return;
  }
  let last: ScopeRecord | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const records = await store.scopes.list(tenant, SCOPES_PER_PAGE, last);
    for (const record of records) if (layer === undefined || record.layer === layer) yield record;
    if (records.length < SCOPES_PER_PAGE) return;
    last = records.at(-1);
  }
}

/** Writes each record that `change` answers another one for; answers how many there were. */
export async function changeScopes(
  { store }: Ports,
  choice: ScopeChoice,
  change: (record: ScopeRecord) => ScopeRecord,
): Promise<number> {
  let changed = 0;
  for await (const listed of chosenScopes({ store }, choice)) {
    let record = listed;
    for (let tries = 0; tries < REPLACE_TRIES_MAX; tries += 1) {
      const next = change(record);
      if (next === record) break;
      if (await store.scopes.replace(next)) {
        changed += 1;
        break;
      }
      record = await store.scopes.get(record);
    }
  }
  return changed;
}
