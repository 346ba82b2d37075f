/** How long the content of one memory may be. */
import { VarveError } from '#core/errors.ts';
import { MEMORY_LENGTH_MAX } from '#core/records/memory.ts';

/** @throws VarveError CONTENT_TOO_LONG with the maximum (MEM-25) */
export function checkLength(content: string): void {
  if (content.length <= MEMORY_LENGTH_MAX) return;
  const { length } = content;
  const message =
    `The content has ${String(length)} characters, and a memory at most ` +
    `${String(MEMORY_LENGTH_MAX)}; split it into sections.`;
  throw new VarveError('CONTENT_TOO_LONG', message, {
    details: { lengthMax: MEMORY_LENGTH_MAX, length },
  });
}
