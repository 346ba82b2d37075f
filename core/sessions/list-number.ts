/** The number that an item of a list has in a message, which its sentence alone does not have. */
import { linesOf } from '../text/lines.ts';

const SPOKEN = /^(?:[^:：\n]{1,256}[:：] )?/u;
const ITEM = /^\s*(?<number>\d{1,3})[.)]\s+(?<text>\S.*)$/u;

/**
 * Returns a line with the number that its sentence has in the message, as in `user: (2) No jokes.`
 * @param line a sentence of the message, with or without its speaker before it
 */
export function withListNumber(line: string, message: string): string {
  const speaker = SPOKEN.exec(line)?.[0] ?? '';
  for (const before of new Set([speaker, ''])) {
    const said = line.slice(before.length);
    const item = linesOf(message)
      .map((each) => ITEM.exec(each)?.groups)
      .find((each) => each?.['text']?.startsWith(said));
    // A stop behind the number would end a sentence, and a bare bracket begin a list.
    if (item !== undefined && said !== '') return `${before}(${item['number'] ?? ''}) ${said}`;
  }
  return line;
}
