/** The document of a scope: its record, the writes under way, and which summaries are current. */
import { ObjectId } from 'mongodb';

import { lookAt, type DuePolicy } from '#core/due.ts';
import type { WriteRules } from '#core/ports/write-rules.ts';
import type { EventRecord } from '#core/records/event.ts';
import {
  emptyScopeRecord,
  SCOPE_RECORD_DEFAULTS,
  type DroppedSource,
  type ScopeRecord,
} from '#core/records/scope-record.ts';
import type { Scope } from '#core/scope.ts';

import { decodeRecord, encodeRecord, keyOf, type Fields } from './record-document.ts';
import { byId, type Table } from './table.ts';

/** After this a write that did not finish is settled by whether its document is there. */
export const INTENT_MS_MAX = 30_000;
/** Stands for "at no time" where a number is compared. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** What one memory contributes to its scope. */
export interface SourceState {
  readonly id: string;
  readonly contentHash: string;
  readonly tokenCount: number;
  /** Of the content in UTF-8. */
  readonly bytes: number;
  readonly endsAt: number;
  /** Whether its lane was folded in when the state was read. */
  readonly counted: boolean;
}

/** The holder of a key that ended by itself, and how to put it back. */
export interface Yielded {
  readonly state: SourceState;
  readonly before: Fields;
}

/** A write under way, with all that folding it in needs: whoever finds it can finish it. */
export interface WriteIntent {
  /** Names the write; the document that it wrote bears it. */
  readonly token: string;
  readonly id: string;
  readonly contentHash: string;
  readonly at: number;
  readonly policy: DuePolicy;
  readonly of:
    | {
        readonly kind: 'Memory';
        readonly before: SourceState | null;
        readonly after: SourceState | null;
        /** What becomes of the memory if the current summary cites it. */
        readonly drops: DroppedSource['reason'] | null;
        readonly yielded: Yielded | null;
      }
    | {
        readonly kind: 'Turns';
        readonly chunk: number;
        readonly lanes: readonly string[];
        readonly tokens: number;
        readonly bytes: number;
      }
    /** Takes the text of turns of a chunk, and changes nothing that a summary rests on. */
    | {
        readonly kind: 'Compaction';
        readonly chunk: number;
        /** Of text that is gone. */
        readonly bytes: number;
      }
    /** Changes what a search finds, and nothing that the scope's record tells. */
    | {
        readonly kind: 'Touch';
        readonly ids: readonly string[];
        /** By how much equal content, written otherwise, is longer. */
        readonly bytes: number;
      };
}

/** A current summary; what is not named here is not served and is removed in time. */
export interface Current {
  readonly audience: string;
  readonly id: string;
  readonly checkedAt: number;
}

export interface ScopeDocument {
  readonly _id: Scope;
  readonly record: Fields & { readonly version: number };
  readonly writes: readonly WriteIntent[];
  /** Tells it from an erased one of the same name; documents of earlier versions have none. */
  readonly born?: string;
  /** Raised with each change of `writes`, also of those that the record's version does not tell. */
  readonly revision: number;
  /** Memories written since the scope began; validates what is kept of them in memory. */
  readonly touches: number;
  /** Ids of the last of them, the newest at the end. */
  readonly touched: readonly string[];
  readonly summaries: readonly Current[];
  /** Events of commits, until they are in their own collection. */
  readonly events: readonly EventRecord[];
  /** Sources that ended before this were left out of the hash by a recount. */
  readonly forgottenBefore: number;
  /** When a refresh is to look at the scope. */
  readonly lookAt: number;
  readonly urgent: boolean;
  /** When something that was left under way is to be settled. */
  readonly settleAt: number;
}

export type ScopeDocuments = Table<ScopeDocument>;

const SHAPE = {
  name: 'scopes',
  key: ['tenant', 'layer', 'scopeId'],
  absent: SCOPE_RECORD_DEFAULTS,
} as const;

export function scopeId(scope: Scope): Scope {
  const { tenant, layer, scopeId: id } = scope;
  return keyOf<Scope>(SHAPE, { tenant, layer, scopeId: id }) as Scope;
}

export function scopeRecordOf(document: ScopeDocument): ScopeRecord {
  const record = decodeRecord<ScopeRecord>(SHAPE, document);
  const intents = document.writes
    .filter(isHeard)
    .map(({ id, contentHash, at }) => ({ id, contentHash, at }));
  return { ...record, intents };
}

export async function readScope(
  scopes: ScopeDocuments,
  scope: Scope,
): Promise<ScopeDocument | null> {
  return scopes.first(byId(scopeId(scope)));
}

export async function scopeOrEmpty(scopes: ScopeDocuments, scope: Scope): Promise<ScopeRecord> {
  const found = await readScope(scopes, scope);
  const { tenant, layer, scopeId: id } = scope;
  if (found === null) return emptyScopeRecord({ tenant, layer, scopeId: id });
  return scopeRecordOf(found);
}

/** Makes the document of a scope that nothing was written to yet; it is not listed as such. */
export async function ensureScope(scopes: ScopeDocuments, scope: Scope): Promise<void> {
  const { tenant, layer, scopeId: id } = scope;
  await scopes.insert({
    ...encodeScope(emptyScopeRecord({ tenant, layer, scopeId: id })),
    writes: [],
    born: new ObjectId().toHexString(),
    revision: 0,
    touches: 0,
    touched: [],
    summaries: [],
    events: [],
    forgottenBefore: 0,
    settleAt: NEVER,
  });
}

/** The part of the document that follows from the record. */
export function encodeScope(
  record: ScopeRecord,
): Pick<ScopeDocument, '_id' | 'record' | 'lookAt' | 'urgent'> {
  const { intents: _, ...kept } = record;
  const { record: fields } = encodeRecord<typeof kept>(SHAPE, kept);
  return {
    _id: scopeId(record),
    record: { ...fields, version: record.version },
    lookAt: lookAt(record) ?? NEVER,
    urgent: record.dueTrigger === 'Urgent' || record.droppedSources.length > 0,
  };
}

/** The condition of being the scope at a version: what compare-and-set compares. */
export function atVersion(scope: Scope, version: number): Record<string, unknown> {
  return { ...byId(scopeId(scope)), 'record.version': version };
}

/** The condition of being the scope as it was read, with the writes that were under way. */
export function asRead({ _id, record, revision }: ScopeDocument): Record<string, unknown> {
  return { ...atVersion(_id, record.version), revision };
}

/** Whether the scope's record tells of the write. */
export function isHeard({ of: { kind } }: WriteIntent): boolean {
  return kind !== 'Touch' && kind !== 'Compaction';
}

/** Whether a summary that is made meanwhile could cite words that are going. */
export function isCompacting({ writes }: Pick<ScopeDocument, 'writes'>): boolean {
  return writes.some(({ of: { kind } }) => kind === 'Compaction');
}

/** The memories that a write changes. */
export function idsOf({ id, of: write }: WriteIntent): readonly string[] {
  if (write.kind === 'Turns' || write.kind === 'Compaction') return [];
  if (write.kind === 'Touch') return write.ids;
  return write.yielded === null ? [id] : [id, write.yielded.state.id];
}

export function settleAtOf(writes: readonly WriteIntent[]): number {
  return Math.min(NEVER, ...writes.map(({ at }) => at + INTENT_MS_MAX));
}

export function rulesOf({ policy, at }: WriteIntent): WriteRules {
  return { policy, now: at };
}
