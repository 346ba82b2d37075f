/** Checks the options of `createClient`, and reads the address that callers write in many forms. */
import { nearestWord } from '#core/spelling.ts';
import { RETRIES_DEFAULT, RETRIES_MAX } from './call-retries.ts';
import { VarveClientError } from './failure.ts';

export interface ClientOptions {
  /**
   * Where the API listens, such as `http://127.0.0.1:7420`. A `/` or `/v1` at the end changes
   * nothing.
   */
  readonly url: string;
  /** The token of the installation or an API key; sent as a bearer token. */
  readonly token: string;
  /** For calls that name no tenant. */
  readonly tenant?: string;
  /** Maximum milliseconds of one try; 30,000 if absent. */
  readonly timeoutMs?: number;
  /** Maximum retries of a call that may be repeated, 0 to 10; 3 if absent. */
  readonly retries?: number;
  /** Called instead of the global `fetch`. */
  readonly fetch?: typeof fetch;
}

const NAMES: Record<keyof ClientOptions, true> = {
  url: true,
  token: true,
  tenant: true,
  timeoutMs: true,
  retries: true,
  fetch: true,
};

const TIMEOUT_MS = 30_000;
const NOT_IN_A_TOKEN = /[^!-~\u00a1-\u00ff]/u;
/** What may follow the address; every path of the API begins with `/v1`. */
const AFTER_ADDRESS = /\/+(?:v1\/*)?$/u;

export type CheckedOptions = ClientOptions & Required<Pick<ClientOptions, 'timeoutMs' | 'retries'>>;

/**
 * Returns the options with their defaults, and the address without what follows it.
 * @throws VarveClientError INVALID_INPUT naming the option and what was expected; no token is shown
 */
export function checkedClientOptions(options: ClientOptions): CheckedOptions {
  const given: unknown = options;
  if (typeof given !== 'object' || given === null) {
    throw invalid(`options: expected { url, token }, found ${kindOf(given)}`);
  }
  const names = Object.keys(NAMES);
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(NAMES, name));
  if (unknown !== undefined) {
    const near = nearestWord(unknown, names);
    const next = near === null ? `take ${names.join(', ')}` : `did you mean ${near}?`;
    throw invalid(`${unknown}: no such option; ${next}`);
  }
  const { retries = RETRIES_DEFAULT, timeoutMs = TIMEOUT_MS, tenant, fetch } = options;
  requireToken(options.token);
  if (!Number.isInteger(retries) || retries < 0 || retries > RETRIES_MAX) {
    throw invalid(`retries is ${String(retries)}; expected 0 to ${String(RETRIES_MAX)}`);
  }
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1) {
    throw invalid(`timeoutMs is ${String(timeoutMs)}; expected milliseconds, from 1`);
  }
  if (tenant !== undefined && (typeof tenant !== 'string' || tenant === '')) {
    throw invalid(`tenant is ${JSON.stringify(tenant)}; expected a text, or leave it out`);
  }
  if (fetch !== undefined && typeof fetch !== 'function') {
    throw invalid(`fetch: expected a function, found ${kindOf(fetch)}`);
  }
  return { ...options, url: addressOf(options.url), retries, timeoutMs };
}

function addressOf(url: unknown): string {
  const text = url instanceof URL ? url.href : url;
  const isHttp = typeof text === 'string' && URL.canParse(text) && /^https?:/u.test(text);
  if (!isHttp) {
    const hint = typeof text === 'string' && /^[\w.-]+:\d+/u.test(text) ? `http://${text}` : null;
    const meant = hint === null ? '' : `, such as ${hint}`;
    throw invalid(`url is ${JSON.stringify(text)}; expected an http or https address${meant}`);
  }
  if (/[?#]/u.test(text)) {
    throw invalid(`url is ${JSON.stringify(text)}; expected an address without ? and #`);
  }
  return text.replace(AFTER_ADDRESS, '');
}

function requireToken(token: unknown): void {
  if (typeof token !== 'string' || token.trim() === '') {
    const found = typeof token === 'string' ? 'empty' : kindOf(token);
    throw invalid(
      `token is ${found}; expected an API key, or the text of the file api-token ` +
        'in the data folder of the server',
    );
  }
  // `fetch` removes a line break at the end.
  if (NOT_IN_A_TOKEN.test(token.trim())) {
    throw invalid('token has a space, a line break or a letter that no token has; copy it again');
  }
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : typeof value;
}

/** Returns the error for an input that the client refuses before it sends anything. */
export function invalid(message: string): VarveClientError {
  return new VarveClientError(message, { code: 'INVALID_INPUT', retryable: false, status: 0 });
}
