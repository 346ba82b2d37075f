/** Vectors of several generations beside their memories, and how far a change of model has come. */
import type { EmbeddingRecords, Unembedded } from '#core/ports/embedding-records.ts';
import type { EmbeddingState } from '#core/records/embedding-state.ts';
import type { Calibration } from '#core/search/calibration.ts';

import { decodeMemory, type MemoryDocument, type MemoryDocuments } from './memory-document.ts';
import { decodeRecord, encodeRecord, type Fields } from './record-document.ts';
import type { ScopeDocuments } from './scope-document.ts';
import { byId, type Table } from './table.ts';
import { changeVectors, type VectorTables } from './vector-change.ts';
import { decodeVector, encodeVector, vectorKey, vectorPath, type VectorForm } from './vectors.ts';

export interface StateDocument {
  readonly _id: { readonly tenant: string };
  readonly record: Fields;
}

/** Of the model, not of what anybody said: the one collection without a tenant. */
export interface CalibrationDocument {
  readonly _id: { readonly generation: string };
  readonly record: Calibration;
}

export interface EmbeddingTables extends VectorTables {
  readonly memories: MemoryDocuments;
  readonly scopes: ScopeDocuments;
  readonly states: Table<StateDocument>;
  readonly calibrations: Table<CalibrationDocument>;
  readonly vectorForm: VectorForm;
}

const SHAPE = { name: 'embeddingStates', key: ['tenant'] } as const;

export function embeddingRecords(tables: EmbeddingTables): EmbeddingRecords {
  return { ...stateRecords(tables), ...vectorReads(tables), ...vectorWrites(tables) };
}

type StateMethods =
  | 'state'
  | 'putState'
  | 'tenants'
  | 'changing'
  | 'calibration'
  | 'putCalibration';
type ReadMethods = 'cached' | 'missing' | 'progress';

function stateRecords({
  scopes,
  states,
  calibrations,
}: EmbeddingTables): Pick<EmbeddingRecords, StateMethods> {
  const decoded = (document: StateDocument) => decodeRecord<EmbeddingState>(SHAPE, document);
  return {
    async state(tenant) {
      const found = await states.first(byId({ tenant }));
      return found === null ? null : decoded(found);
    },
    async putState(state) {
      const document = encodeRecord<EmbeddingState>(SHAPE, state);
      if (state.version === 1) return states.insert(document);
      const before = { ...byId(document._id), 'record.version': state.version - 1 };
      return states.replace(before, document);
    },
    async tenants({ after, limit }) {
      const found = await scopes.aggregate([
        { $match: { '_id.tenant': { $gt: after ?? '' }, 'record.version': { $gt: 0 } } },
        { $group: { _id: '$_id.tenant' } },
        { $sort: { _id: 1 } },
        { $limit: Math.max(1, limit) },
      ]);
      return found.slice(0, limit).map((row) => String(row['_id']));
    },
    async changing({ after, limit }) {
      const open = { '_id.tenant': { $gt: after ?? '' }, 'record.phase': { $ne: 'Steady' } };
      return (await states.select(open, { sort: { '_id.tenant': 1 }, limit })).map(decoded);
    },
    async calibration(generation) {
      return (await calibrations.first(byId({ generation })))?.record ?? null;
    },
    async putCalibration(calibration) {
      const { generation } = calibration;
      await calibrations.put({ _id: { generation }, record: calibration });
    },
  };
}

function vectorReads({ memories }: EmbeddingTables): Pick<EmbeddingRecords, ReadMethods> {
  return {
    async cached(tenant, { generation, contentHashes }) {
      const having = {
        '_id.tenant': tenant,
        'record.contentHash': { $in: [...contentHashes] },
        generations: generation,
      };
      // Of many memories with one content, one.
      const chosen = await memories.aggregate([
        { $match: having },
        { $group: { _id: '$record.contentHash', memory: { $first: '$_id' } } },
      ]);
      const ids = chosen.map((row) => row['memory'] as MemoryDocument['_id']);
      const fields = ['record.contentHash', vectorPath(generation)];
      const selection = { limit: ids.length, fields };
      const found = await memories.select({ ...having, _id: { $in: ids } }, selection);
      return new Map(
        found.flatMap(({ record, vectors }): [string, number[]][] => {
          const stored = vectors[vectorKey(generation)];
          const hash = String(record?.['contentHash']);
          return stored === undefined ? [] : [[hash, [...decodeVector(stored)]]];
        }),
      );
    },
    async missing(tenant, { generation, after, limit, now }) {
      const lacking = { ...live(tenant, now), generations: { $ne: generation } };
      const later = { ...lacking, '_id.id': { $gt: after ?? '' } };
      const found = await memories.select(later, { sort: { '_id.id': 1 }, limit });
      return found.flatMap((document): Unembedded[] => {
        const memory = decodeMemory(document);
        if (memory === null) return [];
        const { id, content, contentHash, tokenCount } = memory;
        return [{ id, content, contentHash, tokenCount }];
      });
    },
    async progress(tenant, { generation, now }) {
      const done = await memories.count({ ...live(tenant, now), generations: generation });
      const [row] = await memories.aggregate([
        { $match: { ...live(tenant, now), generations: { $ne: generation } } },
        { $group: { _id: null, missing: { $sum: 1 }, tokens: { $sum: '$record.tokenCount' } } },
      ]);
      const missing = Number(row?.['missing'] ?? 0);
      return { done, missing, missingTokens: Number(row?.['tokens'] ?? 0) };
    },
  };
}

function vectorWrites(
  tables: EmbeddingTables,
): Pick<EmbeddingRecords, 'putVectors' | 'adopt' | 'drop'> {
  const { memories, vectorForm } = tables;
  const FIELDS = ['token', 'layer', 'scopeId', 'record.contentHash'];
  const page = (condition: Record<string, unknown>, limit: number) =>
    memories.select(condition, { limit, fields: FIELDS, sort: { '_id.id': 1 } });
  return {
    async putVectors(tenant, { generation, vectors, own }) {
      const encoded = new Map(
        vectors.map(({ id, contentHash, vector }) => {
          return [id, { contentHash, binary: encodeVector(vector, vectorForm) }] as const;
        }),
      );
      const of = { '_id.tenant': tenant, '_id.id': { $in: [...encoded.keys()] } };
      const found = await page({ ...of, state: { $ne: 'void' } }, encoded.size);
      const unaltered = found.filter(({ _id, record }) => {
        return record?.['contentHash'] === encoded.get(_id.id)?.contentHash;
      });
      const adopted = own ? adoption(generation) : {};
      return changeVectors(tables, unaltered, ({ _id }) => ({
        $set: { [vectorPath(generation)]: encoded.get(_id.id)?.binary, ...adopted },
        $addToSet: { generations: generation },
      }));
    },
    async adopt(tenant, generation, limit) {
      const having = {
        '_id.tenant': tenant,
        generations: generation,
        generation: { $ne: generation },
      };
      const change = { $set: adoption(generation) };
      return changeVectors(tables, await page(having, limit), () => change);
    },
    async drop(tenant, generation, limit) {
      const having = {
        '_id.tenant': tenant,
        generations: generation,
        generation: { $ne: generation },
      };
      const change = {
        $unset: { [vectorPath(generation)]: '' },
        $pull: { generations: generation },
      };
      return changeVectors(tables, await page(having, limit), () => change);
    },
  };
}

function adoption(generation: string): Record<string, unknown> {
  return { generation, 'record.embeddingGeneration': generation };
}

function live(tenant: string, now: number): Record<string, unknown> {
  return { '_id.tenant': tenant, state: 'active', endsAt: { $gt: now } };
}
