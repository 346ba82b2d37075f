/**
 * A file by HTTP as a stream. Not by `fetch`: where a server closes its connection behind a file
 * while the reader is slower, the `fetch` of Node 24 ends the process (`assert(!this.paused)`).
 */
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';

/** Hugging Face leads to its store by one or two. */
const REDIRECTS_MAX = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The answer that is no redirect. The caller reads it, or destroys it. */
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
  // Where the server packs a file, its length is not that of the file.
  const request = get(url, { headers: { 'accept-encoding': 'identity' }, signal });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}
