/** Output of one JSON object a line: all of a list, however long, a page at a time. */
import { pipeline } from 'node:stream/promises';

/** Every item, a page at a time; each page begins behind the one before, so that it ends. */
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

/** Prints no faster than they are read; ends where nobody reads. Returns how many there were. */
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
