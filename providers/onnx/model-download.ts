/**
 * Downloads the files of a model from Hugging Face, or a server with the same layout.
 *
 * Flow: write each file beside its place, compare its size with the server's, rename it. The caller
 * holds a lock. The next download overwrites what a killed one left.
 */
import { VarveError } from '#core/errors.ts';
import { createStallTimeout, type StallTimeout } from '#providers/node/stall-timeout.ts';
import { makeFolder } from '#providers/node/make-folder.ts';
import { CONFIG, GRAPHS, NEEDED, TOKENIZER, TOKENIZER_CONFIG } from './model-files.ts';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { open, rename, rm } from 'node:fs/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import path from 'node:path';

/** Progress, for a person who waits. */
interface DownloadReport {
  line(text: string): void;
  step(step: { label: string; done: number; total: number; unit: string }): void;
}

interface ModelDownload {
  /** `organization/model`. */
  readonly name: string;
  /** Address of the server: `https://huggingface.co`. */
  readonly url: string;
  readonly folder: string;
  readonly report: DownloadReport;
  readonly signal?: AbortSignal | undefined;
}

const TIMEOUTS = { connectMs: 15_000, stallMs: 60_000 };
/** Far above the largest model that one file can hold. */
const BYTES_MAX = 4_000_000_000;
const MEGABYTE = 1_000_000;
const OK = 200;
const NOT_FOUND = 404;
/** Statuses of servers for models that are private or missing. */
const REFUSED: ReadonlySet<number> = new Set([401, 403]);

/**
 * Downloads a model.
 * @throws VarveError PROVIDER_ERROR if the server cannot be reached or sends half a file, NOT_FOUND
 * if it has no such model, PROVIDER_REJECTED if it refuses the model, CANCELLED
 */
export async function downloadModel(download: ModelDownload): Promise<void> {
  makeFolder(path.join(download.folder, path.dirname(GRAPHS[0])));
  for (const file of [CONFIG, TOKENIZER, TOKENIZER_CONFIG]) {
    if (!(await fetched(download, file))) throw missing(download, file);
  }
  for (const file of [GRAPHS[0], GRAPHS[1]]) if (await fetched(download, file)) return;
  throw missing(download, `${GRAPHS[0]} or ${GRAPHS[1]}`);
}

/** Downloads a file; false if the server has no such file. */
async function fetched(download: ModelDownload, file: string): Promise<boolean> {
  const place = path.join(download.folder, file);
  const partial = `${place}.partial`;
  const stall = createStallTimeout(download.signal, TIMEOUTS);
  try {
    const { name, url } = download;
    const address = `${url.replace(/\/$/u, '')}/${name}/resolve/main/${file}`;
    const response = await httpGet(address, stall.signal);
    const status = response.statusCode ?? 0;
    if (status !== OK) response.destroy();
    if (status === NOT_FOUND) return false;
    if (REFUSED.has(status)) throw refused(download, status);
    if (status !== OK) throw new Error(`HTTP ${String(status)}`);
    const { bytes, sha256 } = await write(response, partial, { download, file, stall });
    await rename(partial, place);
    download.report.line(`${file}: ${(bytes / MEGABYTE).toFixed(1)} MB, sha256 ${sha256}`);
    return true;
  } catch (error) {
    await rm(partial, { force: true });
    if (error instanceof VarveError) throw error;
    if (download.signal?.aborted === true) {
      const message = 'Stopped while the embedding model was downloaded.';
      throw new VarveError('CANCELLED', message, { cause: error });
    }
    throw unreachable(download, file, error);
  } finally {
    stall.end();
  }
}

async function write(
  response: IncomingMessage,
  partial: string,
  { download, file, stall }: { download: ModelDownload; file: string; stall: StallTimeout },
): Promise<{ bytes: number; sha256: string }> {
  const { 'content-encoding': packed, 'content-length': length } = response.headers;
  const total = packed !== undefined || length === undefined ? null : Number(length);
  const hash = createHash('sha256');
  let bytes = 0;
  await using target = await open(partial, 'w');
  for await (const chunk of response as AsyncIterable<Buffer>) {
    stall.restart();
    bytes += chunk.length;
    if (bytes > BYTES_MAX) throw new Error('the file is too large');
    hash.update(chunk);
    await target.writeFile(chunk);
    const done = Math.floor(bytes / MEGABYTE);
    const whole = Math.max(done, Math.floor((total ?? bytes) / MEGABYTE));
    if (whole > 0) {
      download.report.step({ label: `downloading ${file}`, done, total: whole, unit: 'MB' });
    }
  }
  if (total !== null && bytes !== total) {
    throw new Error(`it ended after ${String(bytes)} of ${String(total)} bytes`);
  }
  await target.sync();
  return { bytes, sha256: hash.digest('hex') };
}

function missing({ name, url }: ModelDownload, file: string): VarveError {
  const message =
    `${hostOf(url)} has no ${file} of the model ${name}. Set VARVE_LOCAL_MODEL to a model with ` +
    'ONNX files, such as Xenova/multilingual-e5-small, or to a folder.';
  return new VarveError('NOT_FOUND', message);
}

function refused({ name, url }: ModelDownload, status: number): VarveError {
  const message =
    `${hostOf(url)} refuses the model ${name} (HTTP ${String(status)}): it is private, or ` +
    'there is no model of this name. Set VARVE_LOCAL_MODEL to a public model, or to a folder.';
  return new VarveError('PROVIDER_REJECTED', message, { details: { status } });
}

function unreachable({ name, url, folder }: ModelDownload, file: string, cause: unknown) {
  const message =
    `${file} of the embedding model ${name} can't be downloaded from ${hostOf(url)}: ` +
    `${rootReason(cause)}. Try again, or place ${NEEDED} in ${folder}, or in a folder that ` +
    'VARVE_LOCAL_MODEL names. VARVE_LOCAL_MODEL_URL names another server.';
  return new VarveError('PROVIDER_ERROR', message, { cause });
}

/** Returns the host for messages: an address may hold a password, its host never does. */
function hostOf(url: string): string {
  return new URL(url).host;
}

/** The root cause helps most; a host with several addresses fails once for each. */
function rootReason(error: unknown): string {
  if (error instanceof AggregateError) return rootReason(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? rootReason(error.cause) : error.message;
}

/** Hugging Face redirects once or twice to its file store. */
const REDIRECTS_MAX = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Follows redirects and returns the final response. The caller reads it, or destroys it. */
export async function httpGet(address: string, signal: AbortSignal): Promise<IncomingMessage> {
  let url = new URL(address);
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const response = await answerOf(url, signal);
    const { location } = response.headers;
    if (!REDIRECTS.has(response.statusCode ?? 0) || location === undefined) return response;
    response.destroy();
    const next = new URL(location, url);
    if (url.protocol === 'https:' && next.protocol !== 'https:') {
      throw new Error(`it leads from https to ${next.protocol}//${next.host}`);
    }
    url = next;
  }
  throw new Error(`it leads on after ${String(REDIRECTS_MAX)} redirects`);
}

async function answerOf(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  const { get } = url.protocol === 'https:' ? https : http;
  // If the server compressed a file, the length would not be that of the file.
  const request = get(url, { headers: { 'accept-encoding': 'identity' }, signal });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}
