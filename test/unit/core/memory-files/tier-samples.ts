/** Lines and blocks of memory files for tests. */
import type { Document, DocumentLine } from '#core/records/document.ts';
import { dailyPath } from '#core/memory-files/paths.ts';
import { blockOf as dailyBlock } from '#test/conformance/document-samples.ts';

export const AT = Date.UTC(2026, 10, 21, 14, 30);

/** Ids in their order, each once. */
export function idsFrom(prefix: string): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}${String(count)}`;
  };
}

export function lineOf(
  id: string,
  text: string,
  differing: Partial<DocumentLine> = {},
): DocumentLine {
  return { id, heading: null, text, sources: [`of-${id}`], trust: 'stated', at: AT, ...differing };
}

/** A daily block whose lines have ids of their own. */
export function blockOf(
  id: string,
  texts: readonly string[],
  differing: Partial<Document> = {},
): Document {
  const { at = AT } = differing;
  const path = dailyPath(new Date(at).toISOString().slice(0, 10));
  const lines = texts.map((text, index) => lineOf(`${id}-${String(index + 1)}`, text, { at }));
  return { ...dailyBlock('acme', 0, { path, id, lines, at }), version: 1, ...differing };
}
