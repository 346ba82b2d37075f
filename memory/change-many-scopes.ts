/** Walks over the scopes of a tenant and changes many of their records. */
import { LAYERS, type Layer } from '#core/layer.ts';
import type { Store } from '#core/ports/store.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { scopePages } from '#core/refresh/record-pages.ts';

interface Ports {
  readonly store: Pick<Store, 'scopes'>;
}

/** Maximum tries against concurrent writers; after that, a scope stays as they wrote it. */
const REPLACE_TRIES_MAX = 5;

/** The scopes to change: all of a tenant, those of a layer, or the one with an id. */
interface ScopeChoice {
  readonly tenant: string;
  readonly layer?: Layer | undefined;
  readonly scopeId?: string | undefined;
}

/** Yields the chosen scopes that have been written to; a single one is read alone. */
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
  for await (const page of scopePages(store.scopes, tenant)) {
    for (const record of page) if (layer === undefined || record.layer === layer) yield record;
  }
}

/** Writes each record for which `change` returns a new one; returns how many were written. */
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
