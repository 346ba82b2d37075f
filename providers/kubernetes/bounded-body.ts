/** Bodies of answers, read whole or line by line, never beyond a limit. */
import { answerError } from './failure.ts';

const NEW_LINE = 0x0a;

/** @throws VarveError PROVIDER_ERROR where it is longer */
export async function readBody(body: AsyncIterable<Buffer>, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw answerError('AnswerTooLong');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The beginning of a body that is only read to say why something failed. */
export async function readBeginning(body: AsyncIterable<Buffer>, bytesMax: number) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk.subarray(0, bytesMax - bytes));
    bytes += chunk.length;
    if (bytes >= bytesMax) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Lines as they become complete. What follows the last line break is the rest of a line that was
 * cut off, and is dropped.
 * @throws VarveError PROVIDER_ERROR where a line is longer than the limit
 */
export async function* readLines(
  body: AsyncIterable<Buffer>,
  bytesMax: number,
): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    let from = 0;
    for (let at = chunk.indexOf(NEW_LINE); at >= 0; at = chunk.indexOf(NEW_LINE, from)) {
      parts.push(chunk.subarray(from, at));
      bytes += at - from;
      if (bytes > bytesMax) throw answerError('AnswerTooLong');
      const line = Buffer.concat(parts).toString('utf8');
      parts = [];
      bytes = 0;
      from = at + 1;
      if (line !== '') yield line;
    }
    parts.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > bytesMax) throw answerError('AnswerTooLong');
  }
}
