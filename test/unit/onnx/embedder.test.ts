import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { createOnnxEmbedder } from '#providers/onnx/embedder.ts';
import { readLocalModel } from '#providers/onnx/read-model-folder.ts';
import { failureOf } from '#test/unit/failures.ts';
import { TINY_DIMENSIONS, writeTinyModel, type TinyFiles } from './tiny-model.ts';

const PASSAGE = { purpose: 'passage' } as const;
const QUERY = { purpose: 'query' } as const;

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'varve-onnx-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function open(name = 'someone/tiny', differing: TinyFiles = {}) {
  await writeTinyModel(folder, differing);
  return createOnnxEmbedder(await readLocalModel({ name, folder }), { log: SILENT_LOG });
}

function similarity(a: readonly number[] = [], b: readonly number[] = []): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}

describe('a local model', () => {
  test('gives similar vectors of length 1 for similar words, in the order of the texts', async () => {
    await using embedder = await open();
    expect(embedder).toMatchObject({ dimensions: TINY_DIMENSIONS, quality: 'semantic' });
    const vectors = await embedder.embed(['car', 'soup', 'an automobile'], PASSAGE);
    const [question] = await embedder.embed(['Automobile'], QUERY);
    expect(similarity(question, vectors[0])).toBeGreaterThan(0.9);
    expect(similarity(question, vectors[2])).toBeGreaterThan(0.9);
    expect(similarity(question, vectors[1])).toBeLessThan(0.2);
    for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 6);
  });

  test('gives a text the same vector alone, beside others and in concurrent calls', async () => {
    await using embedder = await open();
    const [alone] = await embedder.embed(['car river'], PASSAGE);
    const calls = ['soup', 'car river', 'river car soup'].map((text) =>
      embedder.embed([text, 'car river'], PASSAGE),
    );
    for (const [, vector] of await Promise.all(calls)) expect(vector).toEqual(alone);
  });

  test('embeds a text beyond its limit to the end, window by window', async () => {
    await using embedder = await open();
    const [vector = []] = await embedder.embed(
      [`${'car '.repeat(60)}${'river '.repeat(60)}`],
      QUERY,
    );
    expect(similarity(vector, [1, 0, 0, 0])).toBeCloseTo(Math.SQRT1_2, 1);
    expect(similarity(vector, [0, 0, 1, 0])).toBeCloseTo(Math.SQRT1_2, 1);
  });

  test('has a generation that depends on its files, prefixes and limit, not on its folder', async () => {
    await writeTinyModel(folder);
    const { generation, prefixes } = await readLocalModel({ name: 'someone/tiny', folder });
    expect(generation).toMatch(/^tiny-4-[0-9a-f]{8}$/u);
    expect(prefixes).toEqual({ query: '', passage: '' });
    const other = await readLocalModel({ name: 'someone/e5-tiny', folder });
    expect(other.prefixes).toEqual({ query: 'query: ', passage: 'passage: ' });
    const given = await readLocalModel({ name: 'tiny', folder, queryPrefix: 'ask: ' });
    const same = await readLocalModel({ name: 'elsewhere/tiny', folder });
    await writeTinyModel(folder, { graph: Buffer.from('another') });
    const changed = await readLocalModel({ name: 'tiny', folder });
    expect(same.generation).toBe(generation);
    const all = [other, given, changed].map((each) => each.generation.slice(-8));
    expect(new Set([generation.slice(-8), ...all]).size).toBe(4);
  });

  test('takes its family from its config and its pooling from its own file', async () => {
    await writeTinyModel(folder, { config: { _name_or_path: 'intfloat/multilingual-e5-small' } });
    await mkdir(path.join(folder, '1_Pooling'));
    const pooling = { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false };
    await writeFile(path.join(folder, '1_Pooling', 'config.json'), JSON.stringify(pooling));
    const model = await readLocalModel({ name: 'mine', folder });
    expect(model).toMatchObject({ pooling: 'cls', prefixes: { query: 'query: ' } });
  });

  test('cancels an aborted call and answers the next one', async () => {
    await using embedder = await open();
    const call = { ...PASSAGE, signal: AbortSignal.abort() };
    expect((await failureOf(embedder.embed(['car'], call))).code).toBe('CANCELLED');
    expect(await embedder.embed(['car'], PASSAGE)).toHaveLength(1);
  });

  test('cancels current calls when Varve is closed', async () => {
    const embedder = await open();
    const under = failureOf(embedder.embed(['car'], PASSAGE));
    await embedder[Symbol.asyncDispose]();
    expect((await under).code).toBe('CANCELLED');
    expect((await failureOf(embedder.embed(['car'], PASSAGE))).code).toBe('CANCELLED');
  });
});

describe('a folder without a usable model', () => {
  test('is refused if it is missing, and the error lists the needed files', async () => {
    const missing = path.join(folder, 'nowhere');
    const { code, message } = await failureOf(readLocalModel({ name: 'tiny', folder: missing }));
    expect(code).toBe('NOT_FOUND');
    expect(message).toContain(`${missing}, is not there`);
    expect(message).toContain('onnx/model_quantized.onnx');
  });

  test('is refused if it lacks files, and the error names each of them', async () => {
    await writeTinyModel(folder);
    await rm(path.join(folder, 'tokenizer.json'));
    await rm(path.join(folder, 'onnx'), { recursive: true });
    const { code, message } = await failureOf(readLocalModel({ name: 'tiny', folder }));
    expect(code).toBe('NOT_FOUND');
    expect(message).toContain('lacks tokenizer.json, onnx/model_quantized.onnx');
  });

  test.each([
    ['no hidden size', { config: { hidden_size: 'many' } }, 'config.json', 'hidden_size'],
    ['a limit in words', { tokenizerConfig: { model_max_length: 'long' } }, 'tokenizer_config', ''],
  ] as const)(
    'is refused for %s, and the error names the file',
    async (_, differing, file, field) => {
      await writeTinyModel(folder, differing);
      const { code, message } = await failureOf(readLocalModel({ name: 'tiny', folder }));
      expect(code).toBe('INVALID_INPUT');
      expect(message).toContain(file);
      expect(message).toContain(field);
    },
  );

  test('with a damaged graph is refused at the first text, without its path', async () => {
    await using embedder = await open('someone/tiny', { graph: Buffer.from('half a graph') });
    const { code, message } = await failureOf(embedder.embed(['car'], PASSAGE));
    expect(code).toBe('PROVIDER_REJECTED');
    expect(message).toContain("someone/tiny can't be loaded");
    expect(message).not.toContain(folder);
  });

  test('with vectors of another length than its config says is refused', async () => {
    await using embedder = await open('tiny', { config: { hidden_size: 8 } });
    const { code, message } = await failureOf(embedder.embed(['car'], PASSAGE));
    expect(code).toBe('MODEL_OUTPUT_INVALID');
    expect(message).toContain('4 numbers');
  });
});
