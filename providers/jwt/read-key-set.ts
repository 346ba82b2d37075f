/** The public keys of an issuer, at an address or in a file, bounded in size and time. */
import { readFile, stat } from 'node:fs/promises';
import { VarveError } from '#core/errors.ts';

const FETCH_TIMEOUT_MS = 5_000;
const BYTES_MAX = 1024 * 1024;

/**
 * @param place an address with https:// or http://, or the path of a file
 * @throws VarveError PROVIDER_ERROR
 */
export async function readKeySet(place: string): Promise<unknown> {
  try {
    const text = /^https?:/u.test(place) ? await fetched(place) : await read(place);
    return JSON.parse(text) as unknown;
  } catch (cause) {
    if (cause instanceof VarveError) throw cause;
    throw unreadable('it does not answer in time, or with JSON', cause);
  }
}

async function fetched(address: string): Promise<string> {
  const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS);
  const headers = { accept: 'application/json, application/jwk-set+json' };
  // Where it leads to is not what was configured.
  const response = await fetch(address, { signal, headers, redirect: 'error' });
  if (!response.ok) throw unreadable(`it answers ${String(response.status)}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > BYTES_MAX) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function read(file: string): Promise<string> {
  if ((await stat(file)).size > BYTES_MAX) throw tooLarge();
  return readFile(file, 'utf8');
}

function tooLarge(): VarveError {
  return unreadable(`it is above ${String(BYTES_MAX)} bytes`);
}

function unreadable(what: string, cause?: unknown): VarveError {
  const message = `The keys of the issuer (VARVE_JWT_JWKS) cannot be read: ${what}.`;
  return new VarveError('PROVIDER_ERROR', message, { cause });
}
