import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPERATIONS } from '#api/operations/table.ts';
import { openVarve, type Varve } from '#cli/open-varve.ts';

let dataDir: string;
let varve: Varve;
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'varve-examples-'));
  varve = await openVarve({ dataDir });
});
afterAll(async () => {
  await varve.close();
  await rm(dataDir, { recursive: true });
});

test('the example of context.assemble is what a store without memories answers', async () => {
  const { input, output } = OPERATIONS.context.assemble.example;
  expect(await varve.context.assemble(input)).toEqual(output);
});

test('the example of health has the schema, embedder and tokenizer of a new store', async () => {
  const { store, ...rest } = OPERATIONS.health.example.output;
  const engine = expect.stringMatching(/^SQLite \d/u);
  expect(await varve.health()).toEqual({ ...rest, store: { ...store, engine } });
});

test('the example of memory.add has the generation of the embedder of a new store', async () => {
  const { input, output } = OPERATIONS.memory.add.example;
  const { embeddingGeneration } = output.memory;
  expect((await varve.memory.add(input)).memory).toMatchObject({ embeddingGeneration });
});
