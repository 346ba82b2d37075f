/** Works through long lists in chunks, in pages of a store, or on a few items at once. */

/** Returns the items in order, in chunks of `size`; the last one may be smaller. */
export function chunked<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** Starts `work` on the items in their order, on at most `atOnce` of them at the same time. */
export async function forEachConcurrently<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items].values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/**
 * Yields the pages of a list until one has fewer items than `limit`. Each begins after the last
 * item of the one before, so a concurrent write may or may not be included, and nothing appears
 * twice.
 * @param read reads at most `limit` items after an item, or the first ones
 * @param pagesMax stops there, even if a store returns the same page forever
 */
export async function* pagesOf<Item>(
  limit: number,
  read: (last: Item | undefined) => Promise<readonly Item[]>,
  pagesMax = Infinity,
): AsyncGenerator<readonly Item[]> {
  let last: Item | undefined;
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const page = await read(last);
    if (page.length > 0) yield page;
    if (page.length < limit) return;
    last = page.at(-1);
  }
}
