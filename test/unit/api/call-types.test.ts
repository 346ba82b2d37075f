/** The named types of the calls say what the schemas say, and editors show them by name. */
import { expect, test } from 'vitest';
import type { Library } from '#api/library.ts';
import type { Calls, Operations } from '#api/operations/table.ts';
import { callTypes } from '#api/print-call-types.ts';
import { readProjectFile } from '#test/tidy/source-file.ts';
import { newTenant, sharedLibrary } from '#test/unit/library/open-library.ts';

const library = sharedLibrary();

/** Lists and fields as if they could be changed, since a schema does not say whether they can. */
type Mutable<T> = T extends (...input: infer In) => Promise<infer Out>
  ? (...input: Mutable<In>) => Promise<Mutable<Out>>
  : unknown extends T
    ? T
    : T extends object
      ? { -readonly [Name in keyof T]: Mutable<T[Name]> }
      : T;

/** Refuses to compile where a named type differs from the schema of its call. */
const alike = {
  named: (named: Mutable<Library>): Mutable<Calls<Operations>> => named,
  derived: (derived: Mutable<Calls<Operations>>): Mutable<Library> => derived,
};

test('a library typed by the named types answers a call of the table', async () => {
  const ann = { tenant: newTenant(), identifiers: { userId: 'ann' } };
  const named: Mutable<Library> = library().varve;
  const content = 'Ann lives in Porto.';
  const added = await alike.named(named).memory.add({ ...ann, layer: 'user', content });
  const { memories } = await alike.derived(alike.named(named)).memory.list(ann);
  expect(memories.map(({ id }) => id)).toEqual([added.memory.id]);
});

test('the committed types are those of the table; npm run docs:api writes them', () => {
  for (const [file, text] of callTypes()) expect(readProjectFile(file).text).toBe(text);
});
