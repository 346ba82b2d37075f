/** Fixtures that the tests of a file, or of a group, share. */
import { afterAll, beforeAll } from 'vitest';

/**
 * Opens a fixture before the first test and disposes of it after the last one. Tests get it from
 * the function that is returned.
 */
export function shared<Fixture extends AsyncDisposable>(
  open: () => Promise<Fixture>,
  openMsMax?: number,
): () => Fixture {
  let opened: Fixture | null = null;
  beforeAll(async () => {
    opened = await open();
  }, openMsMax);
  afterAll(() => opened?.[Symbol.asyncDispose]());
  return () => {
    if (opened === null) throw new Error('The fixture is opened before the first test.');
    return opened;
  };
}
