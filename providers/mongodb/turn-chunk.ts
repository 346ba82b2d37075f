/**
 * Turns as documents: those of one call are one document, so that they are written as one. Chunks
 * are numbered; of two writers that follow the same chunk, one gets the number.
 */
import type { Turn } from '#core/records/turn.ts';

import { decodeRecord, encodeRecord, keyOf, type Fields } from './record-document.ts';
import { byId, type Table } from './table.ts';

/** Bounds a chunk at about 6 MB of text; MongoDB takes 16 MB. */
export const CHUNK_TURNS_MAX = 64;

export interface TurnChunk {
  readonly _id: { readonly tenant: string; readonly sessionId: string; readonly chunk: number };
  readonly token: string;
  /** The sequence of the last turn in this or an earlier chunk. */
  readonly last: number;
  /** The time of its oldest turn that still has its text; absent where none has. */
  readonly textAt?: number;
  /** Absent in what an earlier version wrote, which does not say how old its text is. */
  readonly told?: true;
  /** In order; none where a writer that never came was shut out. */
  readonly turns: readonly (Fields & { readonly id: string })[];
}

export type TurnChunks = Table<TurnChunk>;

export interface Session {
  readonly tenant: string;
  readonly sessionId: string;
}

const SHAPE = { name: 'turns', key: ['tenant', 'sessionId'], free: ['toolCalls'] } as const;

export function chunkId({ tenant, sessionId }: Session, chunk: number): TurnChunk['_id'] {
  return { tenant, sessionId, chunk };
}

export function encodeChunk(
  place: { session: Session; chunk: number; after: number; token: string },
  turns: readonly Omit<Turn, 'sequence'>[],
): TurnChunk {
  const { session, chunk, after, token } = place;
  const numbered = turns.map((turn, at) => ({ ...turn, sequence: after + at + 1 }));
  const { turns: encoded, textAt } = encodeTurns(numbered);
  return {
    _id: chunkId(session, chunk),
    token,
    last: after + turns.length,
    told: true,
    ...(textAt === null ? {} : { textAt }),
    turns: encoded,
  };
}

/** Turns as they stand in their chunk, and the time of the oldest one that has its text. */
export function encodeTurns(turns: readonly Turn[]): {
  readonly turns: TurnChunk['turns'];
  readonly textAt: number | null;
} {
  const encoded = turns.map((turn) => {
    const { record } = encodeRecord<Turn>(SHAPE, turn);
    return { ...record, id: turn.id };
  });
  const times = turns.flatMap(({ compactedAt, at }) => (compactedAt === null ? [at] : []));
  return { turns: encoded, textAt: times.length === 0 ? null : Math.min(...times) };
}

export function decodeChunk({ _id: { tenant, sessionId }, turns }: TurnChunk): Turn[] {
  const _id = keyOf<Turn>(SHAPE, { tenant, sessionId });
  return turns.map((record) => decodeRecord<Turn>(SHAPE, { _id, record }));
}

export async function lastChunk(chunks: TurnChunks, session: Session): Promise<TurnChunk | null> {
  return chunks.first(ofSession(session), { '_id.chunk': -1 });
}

export async function chunkAt(
  chunks: TurnChunks,
  session: Session,
  chunk: number,
): Promise<TurnChunk | null> {
  return chunks.first(byId(chunkId(session, chunk)));
}

export function ofSession({ tenant, sessionId }: Session): Record<string, unknown> {
  return { '_id.tenant': tenant, '_id.sessionId': sessionId };
}
