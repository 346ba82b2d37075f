import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isLocalModelThere, loadEmbedders, localModelFolder } from '#cli/load-embedders.ts';
import { createPlatform } from '#providers/node/platform.ts';
import type { Report } from '#providers/temporal/server-progress.ts';
import { failureOf } from '#test/unit/failures.ts';
import { tinyFiles } from '#test/unit/onnx/tiny-model.ts';

/** Nothing listens there. */
const CLOSED = 'http://127.0.0.1:9';
const MODEL = 'someone/tiny';
/** More than what connections and streams hold on the way. */
const LARGE_BYTES = 40_000_000;

let cacheDir = '';
let said: string[] = [];
let asked: string[] = [];
let closing: (() => Promise<void>)[] = [];
beforeEach(async () => {
  cacheDir = await mkdtemp(path.join(tmpdir(), 'varve-models-'));
  said = [];
  asked = [];
});
afterEach(async () => {
  for (const close of closing) await close();
  closing = [];
  await rm(cacheDir, { recursive: true, force: true });
});

type Files = Readonly<Record<string, Uint8Array>>;
type Answer = (response: ServerResponse, bytes: Uint8Array | undefined, file: string) => void;

function whole(response: ServerResponse, bytes: Uint8Array | undefined): void {
  response.writeHead(bytes === undefined ? 404 : 200, { 'content-length': bytes?.length ?? 0 });
  response.end(bytes);
}

/** Serves files as Hugging Face does. */
async function serve(files: Files = tinyFiles(), answer: Answer = whole): Promise<string> {
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    asked.push(url);
    const file = url.replace(`/${MODEL}/resolve/main/`, '');
    answer(response, files[file], file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

const report: Report = {
  line: (text) => said.push(text),
  step: () => undefined,
  finish: () => undefined,
};

function load(url: string, model = MODEL) {
  return loadEmbedders({ local: { model, url, cacheDir } }, { platform: createPlatform(), report });
}

/** Everything in the cache that is a file of a model, whole or not. */
async function kept(): Promise<readonly string[]> {
  const entries = await readdir(cacheDir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  return files.filter((name) => !name.includes('.lock')).toSorted();
}

describe('a model given by name', () => {
  test('is downloaded once, with its checksums, and needs no server afterwards', async () => {
    const first = await load(await serve());
    const { generation } = first.configured;
    expect(await first.configured.embed(['car'], { purpose: 'query' })).toHaveLength(1);
    await first[Symbol.asyncDispose]();
    expect(asked).toHaveLength(4);
    expect(said.join('\n')).toMatch(/onnx\/model_quantized\.onnx: 0\.0 MB, sha256 [0-9a-f]{64}/u);
    await using again = await load(CLOSED);
    expect(again.configured.generation).toBe(generation);
    expect(again.ofGeneration('lexical-384-1')).not.toBeNull();
  });

  test('is downloaded whole from a server that closes each connection after a large file', async () => {
    const large = { ...tinyFiles(), 'onnx/model_quantized.onnx': Buffer.alloc(LARGE_BYTES, 1) };
    const url = await serve(large, (response, bytes) => {
      response.setHeader('connection', 'close');
      whole(response, bytes);
    });
    await (await load(url))[Symbol.asyncDispose]();
    expect(await kept()).toContain('model_quantized.onnx');
    expect(said.find((text) => text.startsWith('onnx/'))).toContain('40.0 MB');
  });

  test('is downloaded from where its server redirects, and a redirect loop fails', async () => {
    const store = await serve();
    const lead: Answer = (response, _, file) =>
      response.writeHead(302, { location: `${store}/${MODEL}/resolve/main/${file}` }).end();
    await using loaded = await load(await serve({}, lead));
    expect(await loaded.configured.embed(['car'], { purpose: 'query' })).toHaveLength(1);
    const loop: Answer = (response, _, file) =>
      response.writeHead(302, { location: `/other/model/resolve/main/${file}` }).end();
    const { code, message } = await failureOf(load(await serve({}, loop), 'other/model'));
    expect([code, message]).toEqual(['PROVIDER_ERROR', expect.stringContaining('redirects')]);
  });

  test('is downloaded once if two loads start at the same time', async () => {
    const url = await serve();
    const both = await Promise.all([load(url), load(url)]);
    expect(asked).toHaveLength(4);
    for (const each of both) await each[Symbol.asyncDispose]();
  });

  test('is downloaded with the full graph if there is no quantized one', async () => {
    const { 'onnx/model_quantized.onnx': graph, ...others } = tinyFiles();
    await using loaded = await load(
      await serve({ ...others, 'onnx/model.onnx': graph ?? [] } as Files),
    );
    expect(await loaded.configured.embed(['car'], { purpose: 'query' })).toHaveLength(1);
  });

  test('from an unreachable server is refused, and the error says how to place the files', async () => {
    const { code, message } = await failureOf(load(CLOSED));
    expect(code).toBe('PROVIDER_ERROR');
    expect(message).toContain("can't be downloaded from 127.0.0.1:9");
    expect(message).toContain(path.join(cacheDir, 'models', 'someone--tiny'));
    expect(message).toContain('onnx/model_quantized.onnx');
    expect(message).toContain('VARVE_LOCAL_MODEL');
  });

  test('that arrives only in part is not used, and the next start downloads the rest', async () => {
    const url = await serve(tinyFiles(), (response, bytes = new Uint8Array(), file) => {
      if (!file.endsWith('.onnx')) {
        whole(response, bytes);
        return;
      }
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
    });
    expect((await failureOf(load(url))).code).toBe('PROVIDER_ERROR');
    expect(await kept()).toEqual(['config.json', 'tokenizer.json', 'tokenizer_config.json']);
    expect(await isLocalModelThere({ model: MODEL, url, cacheDir })).toBe(false);
    await using loaded = await load(await serve());
    expect(await loaded.configured.embed(['car'], { purpose: 'query' })).toHaveLength(1);
  });

  test.each([
    [404, 'NOT_FOUND', 'has no config.json of the model someone/tiny'],
    [401, 'PROVIDER_REJECTED', 'refuses the model someone/tiny (HTTP 401)'],
    [500, 'PROVIDER_ERROR', 'HTTP 500'],
  ] as const)('that a server answers with %i is %s', async (status, wanted, text) => {
    const url = await serve({}, (response) => response.writeHead(status).end());
    const { code, message } = await failureOf(load(url));
    expect([code, message]).toEqual([wanted, expect.stringContaining(text)]);
  });

  test.each(['someone/tiny/more', 'a b', '../x y/', 'https://host/model'])(
    'such as %s is refused if it is neither a name nor a folder',
    async (model) => {
      const code = model.startsWith('.') ? 'NOT_FOUND' : 'INVALID_INPUT';
      expect((await failureOf(load(CLOSED, model))).code).toBe(code);
    },
  );

  test('is stored in a cache folder of its name, and a folder is used in place', () => {
    const named = { model: MODEL, url: CLOSED, cacheDir };
    expect(localModelFolder(named)).toBe(path.join(cacheDir, 'models', 'someone--tiny'));
    expect(localModelFolder({ ...named, model: './mine' })).toBe(path.resolve('mine'));
  });
});
