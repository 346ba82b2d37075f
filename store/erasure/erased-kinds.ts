/** Which kinds of records go with what is erased, by what their keys name. */
import type { AnyKind } from '../driver.ts';
import {
  CITATIONS,
  DOCUMENTS,
  MEMORY_KEYS,
  PROPOSALS,
  SCOPES,
  SEGMENTS,
  SUBJECTS,
  SUMMARIES,
  VARIANTS,
} from '../record-kinds-and-indexes.ts';

/** What lies under the key of a scope, beside its memories and turns. */
export const OF_SCOPE: readonly AnyKind[] = [
  SUMMARIES,
  CITATIONS,
  VARIANTS,
  SEGMENTS,
  MEMORY_KEYS,
  SCOPES,
];
/** What is made of a scope for one audience. */
export const OF_AUDIENCE: readonly AnyKind[] = [SUMMARIES, CITATIONS, VARIANTS];
/** The Markdown memory of a subject. */
export const OF_SUBJECT: readonly AnyKind[] = [DOCUMENTS, PROPOSALS, SUBJECTS];
