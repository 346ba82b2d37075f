/** Walks over the scopes of a tenant and changes many of their records. */
import { LAYERS, type Layer } from '#core/layer.ts';
import type { Store } from '#core/ports/store.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';

interface Ports {
  readonly store: Pick<Store, 'scopes'>;
}

/**
 * Scopes per page. One page takes some milliseconds, during which a single-file store is blocked.
 */
const SCOPES_PER_PAGE = 1_000;
/** Maximum pages, enough for a million scopes; a change of a single scope reads only that one. */
const PAGES_MAX = 1_000;
/** Maximum tries against concurrent writers; after that, a scope stays as they wrote it. */
const REPLACE_TRIES_MAX = 5;

/** The scopes to change: all of a tenant, those of a layer, or the one with an id. */
export interface ScopeChoice {
  readonly tenant: string;
  readonly layer?: Layer | undefined;
  readonly scopeId?: string | undefined;
}

/**
 * Yields the chosen scopes that have been written to, page by page, at most a million per tenant.
 */
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
