/**
 * The memories of one scope as a store of LangGraph: items under namespaces, found by key, by
 * fields and by what they say. A put adds or updates a memory; a delete deletes one.
 */
import { chunked } from '#core/chunks-and-pages.ts';
import {
  BaseStore,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchOperation,
} from '@langchain/langgraph';
import { LAYERS, type Layer } from '#core/layer.ts';
import {
  KINDS,
  oneOf,
  optional,
  required,
  requireOptions,
  type Option,
} from '#core/check-options.ts';
import { unexpected, VarveError } from '#core/errors.ts';
import { codeOfFailure } from '../code-of-failure.ts';
import { matchesFields, requireKnownOperators } from './item-filter.ts';
import {
  storeItemId,
  namespaceId,
  namespacesOf,
  readItem,
  searchedText,
  storedItem,
  type FoundItem,
  type ItemKey,
  type StoredItem,
} from './store-item.ts';

interface StoredMemory {
  readonly id: string;
  /** Null if another memory took the key of the item. */
  readonly key: string | null;
  /** `superseded` if a conversation replaces what the item says. */
  readonly state: string;
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface StoreScope {
  readonly tenant: string;
  readonly identifiers: Readonly<Record<string, string>>;
}

type FieldFilter =
  | { field: string; eq: string }
  | { field: string; contains: string }
  | { field: string; in: string[] }
  | { field: string; exists: boolean };

/** The part of `openVarve(…).memory` that a store needs. */
export interface StoreMemory {
  add(
    input: StoreScope & {
      layer: Layer;
      content: string;
      key: string;
      metadata: Record<string, unknown>;
    },
  ): Promise<{ readonly memory: { readonly id: string }; readonly deduplicated: boolean }>;
  update(input: {
    tenant: string;
    id: string;
    content: string;
    metadata: Record<string, unknown>;
  }): Promise<unknown>;
  delete(input: { tenant: string; id: string }): Promise<unknown>;
  list(
    input: StoreScope & {
      layers: Layer[];
      filter: FieldFilter;
      latestOnly: false;
      markOutdated: false;
      order: 'oldest' | 'newest';
      limit: number;
      cursor?: string;
    },
  ): Promise<{ readonly memories: readonly StoredMemory[]; readonly nextCursor: string | null }>;
  search(
    input: StoreScope & {
      layers: Layer[];
      filter: FieldFilter;
      query: string;
      limit: number;
      threshold: number;
      order: 'relevance';
    },
  ): Promise<{
    readonly hits: readonly { readonly score: number; readonly memory: StoredMemory | null }[];
  }>;
}

export interface VarveStoreOptions {
  /** `memory` of an open Varve. */
  readonly memory: StoreMemory;
  readonly tenant: string;
  /** Whose memories they are. Namespaces give no access outside this scope. */
  readonly identifiers: Readonly<Record<string, string>>;
  /** The layer of the scope; `agent` by default, for which `identifiers` has an `agentId`. */
  readonly layer?: Layer;
}

const OPTIONS: Readonly<Record<keyof VarveStoreOptions, Option>> = {
  memory: required(KINDS.part),
  tenant: required(KINDS.text),
  identifiers: required(KINDS.identifiers),
  layer: optional(oneOf(LAYERS)),
};

/** The maximum page of `list`. */
const PAGE = 500;
/** Maximum items that a search without a query, or a list of namespaces, reads. */
const LOOKED_AT_MAX = 50_000;
/** Maximum hits of one search of Varve, and maximum values of one filter. */
const RANKED_MAX = 100;
/** Maximum tries: another writer of the same key may come between the lookup and the write. */
const ATTEMPTS_MAX = 3;
/** Maximum concurrent writes of one batch. */
const WRITES_AT_ONCE = 8;
const LIMIT_DEFAULT = 10;

/** A store of LangGraph over one scope of Varve. */
export class VarveStore extends BaseStore {
  readonly #memory: StoreMemory;
  readonly #layer: Layer;
  readonly #scope: StoreScope;

  /** @throws VarveError INVALID_INPUT for unknown or missing options */
  constructor(options: VarveStoreOptions) {
    super();
    requireOptions(options, OPTIONS);
    const { memory, tenant, identifiers, layer = 'agent' } = options;
    this.#memory = memory;
    this.#layer = layer;
    this.#scope = { tenant, identifiers };
  }

  /**
   * Runs a batch. Its reads see the state before its writes; of two writes of one key, the later
   * counts. Nothing is written if a value can't be stored.
   * @throws VarveError INVALID_INPUT for an invalid namespace or value; CONTENT_TOO_LONG for a
   * value that is too large; FILTER_TOO_BROAD if a search would read too many items
   */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results: unknown[] = [];
    const writes = new Map<string, Write>();
    for (const operation of operations) checkOperation(operation);
    for (const operation of operations) {
      if ('namespacePrefix' in operation) results.push(await this.#search(operation));
      else if ('value' in operation) {
        writes.set(storeItemId(operation), writeOf(operation));
        results.push(null);
      } else if ('key' in operation) results.push(await this.#get(operation));
      else results.push(await this.#namespaces(operation));
    }
    for (const together of chunked([...writes.values()], WRITES_AT_ONCE)) {
      await Promise.all(together.map((each) => this.#write(each)));
    }
    return results as OperationResults<Op>;
  }

  async #get(key: ItemKey): Promise<Item | null> {
    const memory = await this.#find(key);
    return memory === null ? null : readItem(memory);
  }

  /** Returns the memory of an item: of several, the one that was put last. */
  async #find(key: ItemKey): Promise<StoredMemory | null> {
    const [newest] = await this.#holders(key, 1);
    return newest ?? null;
  }

  /**
   * Returns the memories that hold an item, the newest first: a graph reads what it put, even if a
   * conversation replaces it, and another put then adds a memory.
   */
  async #holders(key: ItemKey, limit: number): Promise<readonly StoredMemory[]> {
    const { memories } = await this.#memory.list({
      ...this.#scope,
      layers: [this.#layer],
      filter: { field: 'langgraph.item', eq: storeItemId(key) },
      latestOnly: false,
      markOutdated: false,
      order: 'newest',
      limit,
    });
    return memories;
  }

  async #write({ key, stored }: Write): Promise<void> {
    const { tenant } = this.#scope;
    if (stored === null) {
      for (const { id } of await this.#holders(key, PAGE))
        await this.#memory.delete({ tenant, id });
      return;
    }
    for (let attempt = 1; ; attempt += 1) {
      const id = await this.#added(key, stored);
      if (id === null) return;
      try {
        await this.#memory.update({ tenant, id, ...stored });
        return;
      } catch (error) {
        // Deleted since, or written by another caller at the same time.
        if (!isPassing(error) || attempt >= ATTEMPTS_MAX) throw error;
      }
    }
  }

  /** Returns null if the item was new, otherwise the id of the memory that has its key. */
  async #added(item: ItemKey, stored: StoredItem): Promise<string | null> {
    const key = `langgraph:${storeItemId(item)}`;
    try {
      const about = { ...this.#scope, layer: this.#layer, key };
      const { memory, deduplicated } = await this.#memory.add({ ...about, ...stored });
      return deduplicated ? memory.id : null;
    } catch (error) {
      if (!isPassing(error)) throw error;
      const found = await this.#find(item);
      if (found === null) throw error;
      return found.id;
    }
  }

  async #search(operation: SearchOperation): Promise<FoundItem[]> {
    const { namespacePrefix: prefix, filter, query, offset = 0, limit = LIMIT_DEFAULT } = operation;
    if (filter !== undefined) requireKnownOperators(filter);
    const isRanked = query !== undefined && query.trim() !== '';
    const enough = isRanked ? Infinity : offset + limit;
    const items = await this.#items(prefix, { filter, enough });
    const ordered = isRanked ? await this.#ranked(items, { prefix, query }) : items;
    return ordered.slice(offset, offset + limit);
  }

  /** Ranks the items by the query; those that don't answer it come last, without a score. */
  async #ranked(
    items: readonly FoundItem[],
    { prefix, query }: { prefix: string[]; query: string },
  ): Promise<FoundItem[]> {
    const byId = new Map(items.map((item) => [storeItemId(item), item]));
    const filter =
      items.length > 0 && items.length <= RANKED_MAX
        ? { field: 'langgraph.item', in: [...byId.keys()] }
        : under(prefix);
    const { hits } = await this.#memory.search({
      ...this.#scope,
      layers: [this.#layer],
      filter,
      query: searchedText(query),
      limit: RANKED_MAX,
      threshold: 0,
      order: 'relevance',
    });
    const ranked: FoundItem[] = [];
    for (const { memory, score } of hits) {
      if (memory === null) continue;
      const id = storeItemId(readItem(memory));
      const item = byId.get(id);
      if (item === undefined) continue;
      ranked.push({ ...item, score });
      byId.delete(id);
    }
    return [...ranked, ...byId.values()];
  }

  /** Returns items under a prefix in the order of their first put, until there are enough. */
  async #items(
    prefix: readonly string[],
    limits: { filter: Readonly<Record<string, unknown>> | undefined; enough: number },
  ): Promise<FoundItem[]> {
    const items: FoundItem[] = [];
    for await (const memory of this.#memories(under(prefix))) {
      const item = readItem(memory);
      if (limits.filter === undefined || matchesFields(item.value, limits.filter)) items.push(item);
      if (items.length >= limits.enough) break;
    }
    return items;
  }

  async #namespaces(operation: ListNamespacesOperation): Promise<string[][]> {
    const found: string[][] = [];
    const every = { field: 'langgraph.item', exists: true };
    for await (const memory of this.#memories(every)) found.push(readItem(memory).namespace);
    return namespacesOf(found, operation);
  }

  /** Whether no later memory holds the same item. */
  async #isCurrent(memory: StoredMemory): Promise<boolean> {
    if (memory.state === 'active' && memory.key !== null) return true;
    return (await this.#find(readItem(memory)))?.id === memory.id;
  }

  async *#memories(filter: FieldFilter): AsyncGenerator<StoredMemory> {
    let cursor: string | null = null;
    let seen = 0;
    do {
      const page = await this.#memory.list({
        ...this.#scope,
        layers: [this.#layer],
        filter,
        latestOnly: false,
        markOutdated: false,
        order: 'oldest',
        limit: PAGE,
        ...(cursor === null ? {} : { cursor }),
      });
      for (const memory of page.memories) if (await this.#isCurrent(memory)) yield memory;
      seen += page.memories.length;
      ({ nextCursor: cursor } = page);
      if (cursor !== null && seen >= LOOKED_AT_MAX) throw tooMany(seen);
    } while (cursor !== null);
  }
}

function isPassing(error: unknown): boolean {
  return ['CONFLICT', 'MEMORY_NOT_FOUND'].includes(codeOfFailure(error) ?? '');
}

function under(prefix: readonly string[]): FieldFilter {
  if (prefix.length === 0) return { field: 'langgraph.item', exists: true };
  return { field: 'langgraph.under', contains: namespaceId(prefix) };
}

/** A write that a batch is about to make; null deletes the item. */
interface Write {
  readonly key: ItemKey;
  readonly stored: StoredItem | null;
}

function writeOf(operation: PutOperation): Write {
  const { value, index } = operation;
  return { key: operation, stored: value === null ? null : storedItem(operation, value, index) };
}

/**
 * Checks an operation before any of its batch runs, so that nothing of an invalid batch is written.
 * @throws VarveError INVALID_INPUT
 */
function checkOperation(operation: Operation): void {
  if ('namespacePrefix' in operation) {
    const { namespacePrefix, query, limit, offset } = operation;
    if (!Array.isArray(namespacePrefix) || namespacePrefix.length > 0) {
      checkNamespace(namespacePrefix);
    }
    if (query !== undefined && typeof query !== 'string') {
      throw unexpected('query', kindOf(query), 'a text, or none');
    }
    checkPage({ limit, offset });
  } else if ('key' in operation) {
    checkNamespace(operation.namespace);
    const { key } = operation;
    if (typeof key !== 'string') throw unexpected('key', key, 'a text');
    if ('value' in operation && !isItemValue(operation.value)) {
      throw unexpected('value', kindOf(operation.value), 'an object with fields, or null');
    }
  } else checkPage(operation);
}

/** Applies the rule of `BaseStore`, which `batch` bypasses. */
function checkNamespace(namespace: unknown): void {
  const isLabel = (label: unknown): boolean =>
    typeof label === 'string' && label !== '' && !/[.:\0]/u.test(label);
  if (Array.isArray(namespace) && namespace.length > 0 && namespace.every(isLabel)) return;
  const expected = 'a list of one label or more, none of them empty or with ".", ":" or NUL';
  throw unexpected('namespace', namespace, expected);
}

function isItemValue(value: unknown): boolean {
  return value === null || (typeof value === 'object' && !Array.isArray(value));
}

function checkPage(page: { limit?: unknown; offset?: unknown }): void {
  for (const [name, value] of Object.entries({ limit: page.limit, offset: page.offset })) {
    if (value === undefined || (Number.isInteger(value) && Number(value) >= 0)) continue;
    throw unexpected(name, value, 'a whole number from 0, or none');
  }
}

/** Describes a value without showing it, since no error may contain memory text. */
function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

function tooMany(seen: number): VarveError {
  return new VarveError(
    'FILTER_TOO_BROAD',
    `Over ${String(seen)} items have this prefix; a search reads ${String(LOOKED_AT_MAX)}. ` +
      'Search under a longer prefix, or with a lower limit.',
    { details: { maximum: LOOKED_AT_MAX } },
  );
}
