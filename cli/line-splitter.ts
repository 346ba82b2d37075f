/** Splits what a stream brings into lines, in the memory of one chunk and one line. */

export const LINE_END = Buffer.from('\n');

/**
 * Returns a function that returns the lines, without their ends, that end in a chunk. A line of
 * more bytes is null, once and as soon as it is too long, and its bytes are dropped.
 */
export function lineSplitter(bytesMax: number): (chunk: Buffer) => readonly (Buffer | null)[] {
  let begun: Buffer[] = [];
  let bytes = 0;
  return (chunk) => {
    const lines: (Buffer | null)[] = [];
    for (let start = 0; ;) {
      const end = chunk.indexOf(LINE_END, start);
      const part = chunk.subarray(start, end === -1 ? chunk.length : end);
      const wasTooLong = bytes > bytesMax;
      bytes += part.length;
      const isTooLong = bytes > bytesMax;
      if (isTooLong && !wasTooLong) lines.push(null);
      if (isTooLong) begun = [];
      else begun.push(part);
      if (end === -1) return lines;
      if (!isTooLong) lines.push(Buffer.concat(begun));
      begun = [];
      bytes = 0;
      start = end + 1;
    }
  };
}
