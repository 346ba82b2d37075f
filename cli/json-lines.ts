/** Output of one JSON object a line: lists of any length, page by page, and the line of a start. */
import { pipeline } from 'node:stream/promises';

/** Yields every item, page by page; each page begins after the previous one, so that it ends. */
export async function* paged<Item, At>(
  read: (at?: At) => Promise<{ items: readonly Item[]; next: At | null | undefined }>,
): AsyncGenerator<Item> {
  let page = await read();
  yield* page.items;
  while (page.next !== null && page.next !== undefined) {
    page = await read(page.next);
    yield* page.items;
  }
}

/** Prints no faster than the output is read; stops if nobody reads. Returns the number of lines. */
export async function printJsonLines(records: AsyncIterable<object>): Promise<number> {
  let lines = 0;
  async function* text(): AsyncGenerator<string> {
    for await (const record of records) {
      lines += 1;
      yield `${JSON.stringify(record)}\n`;
    }
  }
  await pipeline(text, process.stdout, { end: false });
  return lines;
}

/** Prints that a process is ready as one line of its log, whatever the log's level. */
export function printReady(addresses: object): void {
  const time = new Date().toISOString();
  process.stdout.write(`${JSON.stringify({ level: 'info', time, ...addresses, msg: 'ready' })}\n`);
}
