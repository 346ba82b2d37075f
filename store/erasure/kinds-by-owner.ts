/** Which kinds of records an erasure deletes, by what their keys name. */
import type { AnyKind } from '../driver-port.ts';
import {
  CITATIONS,
  DOCUMENTS,
  MEMORY_KEYS,
  PROPOSALS,
  SCOPES,
  SEGMENTS,
  SESSION_ANALYSES,
  SUBJECTS,
  SUMMARIES,
  VARIANTS,
} from '../record-kinds-and-indexes.ts';

/** Kinds under the key of a scope, besides its memories and turns. */
export const OF_SCOPE: readonly AnyKind[] = [
  SUMMARIES,
  CITATIONS,
  VARIANTS,
  SEGMENTS,
  SESSION_ANALYSES,
  MEMORY_KEYS,
  SCOPES,
];
/** Kinds made from a scope for one audience. */
export const OF_AUDIENCE: readonly AnyKind[] = [SUMMARIES, CITATIONS, VARIANTS];
/** The Markdown memory of a subject. */
export const OF_SUBJECT: readonly AnyKind[] = [DOCUMENTS, PROPOSALS, SUBJECTS];
