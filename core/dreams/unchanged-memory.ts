/** Whether a proposal leaves MEMORY.md as it is. */
import type { Document, DocumentLine } from '../records/document.ts';
import type { Proposal } from '../records/proposal.ts';

/** @param base the version that the proposal was made from; null where there was none */
export function isUnchanged(
  { lines }: Pick<Proposal, 'lines'>,
  base: Pick<Document, 'lines'> | null,
): boolean {
  const before = base?.lines ?? [];
  return (
    lines.length === before.length && lines.every((line, index) => isSameLine(line, before[index]))
  );
}

function isSameLine(line: DocumentLine, before: DocumentLine | undefined): boolean {
  return (
    before !== undefined &&
    line.id === before.id &&
    line.heading === before.heading &&
    line.text === before.text
  );
}
