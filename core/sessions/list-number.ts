/** Adds the number of a list item, which its sentence alone lacks. */
import { linesOf } from '../text/lines.ts';

const SPOKEN = /^(?:[^:：\n]{1,256}[:：] )?/u;
const ITEM = /^\s*(?<number>\d{1,3})[.)]\s+(?<text>\S.*)$/u;

/**
 * Returns a line with the list number that its sentence has in the message: `user: (2) No jokes.`
 * @param line a sentence of the message, optionally after its speaker
 */
export function withListNumber(line: string, message: string): string {
  const speaker = SPOKEN.exec(line)?.[0] ?? '';
  for (const before of new Set([speaker, ''])) {
    const said = line.slice(before.length);
    const item = linesOf(message)
      .map((each) => ITEM.exec(each)?.groups)
      .find((each) => each?.['text']?.startsWith(said));
    // A stop after the number would end a sentence, and a single bracket would begin a list.
    if (item !== undefined && said !== '') return `${before}(${item['number'] ?? ''}) ${said}`;
  }
  return line;
}
