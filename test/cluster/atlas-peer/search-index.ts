/**
 * Search indexes of the peer, and how far each has come. Nothing happens by itself: a test finishes
 * builds and refreshes indexes, or lets both happen at once.
 */
import type { Document } from 'mongodb';

import {
  isSameDefinition,
  problemsOfDefinition,
  type VectorDefinition,
} from './index-definition.ts';
import { entryOf, type IndexEntry } from './index-entry.ts';
import { Refusal } from './refusal.ts';

export type IndexStatus = 'BUILDING' | 'FAILED' | 'READY' | 'STALE';

interface Build {
  readonly definition: VectorDefinition;
  readonly version: number;
  readonly entries: readonly IndexEntry[];
}

export interface SearchIndex {
  readonly id: string;
  readonly name: string;
  /** Database and collection, joined by a dot. */
  readonly namespace: string;
  /** What was asked for last, which may not be built yet. */
  latest: Omit<Build, 'entries'>;
  /** What answers now; null before the first build. */
  main: Build | null;
  status: IndexStatus;
}

/** Reads the live documents of a collection. */
export type ReadAll = (namespace: string) => Promise<readonly Document[]>;

export class SearchIndexes {
  readonly #indexes = new Map<string, SearchIndex>();
  #made = 0;

  find(namespace: string, name: string): SearchIndex | null {
    return this.#indexes.get(keyOf(namespace, name)) ?? null;
  }

  /** The same name with the same definition changes nothing. @throws Refusal */
  create(namespace: string, name: string, definition: unknown): SearchIndex {
    const checked = checkedDefinition(definition);
    const found = this.find(namespace, name);
    if (found !== null) {
      if (isSameDefinition(found.latest.definition, checked)) return found;
      throw new Refusal('IndexAlreadyExists', `Index ${name} exists with another definition`);
    }
    this.#made += 1;
    const id = this.#made.toString(16).padStart(24, '0');
    const latest = { definition: checked, version: 0 };
    const index: SearchIndex = { id, name, namespace, latest, main: null, status: 'BUILDING' };
    this.#indexes.set(keyOf(namespace, name), index);
    return index;
  }

  /** The old definition answers until the new one is built. @throws Refusal */
  update(namespace: string, name: string, definition: unknown): void {
    const checked = checkedDefinition(definition);
    const index = this.find(namespace, name);
    if (index === null) throw missing(name);
    if (isSameDefinition(index.latest.definition, checked)) return;
    index.latest = { definition: checked, version: index.latest.version + 1 };
    index.status = 'BUILDING';
  }

  /** @throws Refusal */
  drop(namespace: string, name: string): void {
    if (!this.#indexes.delete(keyOf(namespace, name))) throw missing(name);
  }

  /** Collections take their indexes with them; a database, all of its collections. */
  forget(prefix: string): void {
    for (const [key, { namespace }] of this.#indexes) {
      if (namespace === prefix || namespace.startsWith(`${prefix}.`)) this.#indexes.delete(key);
    }
  }

  list(namespace: string, name: string | null): readonly Document[] {
    return [...this.#indexes.values()]
      .filter((index) => index.namespace === namespace && (name === null || index.name === name))
      .map(listed);
  }

  /** Builds what waits to be built, from the documents as they are now. */
  async finishBuilds(read: ReadAll): Promise<void> {
    for (const index of this.#indexes.values()) {
      if (index.status !== 'BUILDING') continue;
      await this.#build(index, read);
      index.status = 'READY';
    }
  }

  /** Brings every index that follows its collection up to the documents as they are now. */
  async refresh(read: ReadAll): Promise<void> {
    for (const index of this.#indexes.values()) {
      const { main } = index;
      if (main === null || index.status === 'FAILED' || index.status === 'STALE') continue;
      const documents = await read(index.namespace);
      index.main = { ...main, entries: documents.map((each) => entryOf(each, main.definition)) };
    }
  }

  /** `FAILED` answers nothing; `STALE` answers what it last knew; `READY` makes it well again. */
  mark(name: string, status: IndexStatus): void {
    for (const index of this.#indexes.values()) if (index.name === name) index.status = status;
  }

  async #build(index: SearchIndex, read: ReadAll): Promise<void> {
    const { latest } = index;
    const documents = await read(index.namespace);
    index.main = { ...latest, entries: documents.map((each) => entryOf(each, latest.definition)) };
  }
}

/** Whether queries are answered, be it with what was known some time ago. */
export function isQueryable({ main, status }: SearchIndex): boolean {
  return main !== null && status !== 'FAILED';
}

function listed(index: SearchIndex): Document {
  const { id, name, latest, main, status } = index;
  const queryable = isQueryable(index);
  const detail = { status, queryable, definition: (main ?? latest).definition };
  const mainIndex = { ...detail, definitionVersion: versionOf((main ?? latest).version) };
  const isStaged = main !== null && main.version !== latest.version;
  const stagedIndex = {
    status,
    queryable: false,
    definitionVersion: versionOf(latest.version),
    definition: latest.definition,
  };
  return {
    id,
    name,
    type: 'vectorSearch',
    status,
    queryable,
    latestDefinitionVersion: versionOf(latest.version),
    latestDefinition: latest.definition,
    statusDetail: [
      { hostname: 'peer', status, queryable, mainIndex, ...(isStaged ? { stagedIndex } : {}) },
    ],
    ...(status === 'FAILED' ? { message: 'The build failed.' } : {}),
  };
}

function versionOf(version: number): Document {
  return { version, createdAt: new Date(0) };
}

function checkedDefinition(definition: unknown): VectorDefinition {
  const problems = problemsOfDefinition(definition);
  if (problems.length > 0) throw new Refusal('BadValue', problems.join('; '));
  return definition as VectorDefinition;
}

function missing(name: string): Refusal {
  return new Refusal('IndexNotFound', `there is no search index ${name}`);
}

function keyOf(namespace: string, name: string): string {
  return JSON.stringify([namespace, name]);
}
