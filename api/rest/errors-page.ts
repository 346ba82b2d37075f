/** The page of errors, open to everybody: the type of a problem links to its row. */
import { ERRORS, type ErrorCode } from '#core/error-codes.ts';

export const ERRORS_PATH = '/errors';

/** Why an error occurs, and what to do. A code without a row does not compile. */
export const ADVICE: Readonly<Record<ErrorCode, readonly [why: string, advice: string]>> = {
  INVALID_INPUT: ['an input does not fit its schema', 'read `details.issues` and correct the call'],
  MISSING_IDENTIFIER: [
    'the call names a layer without its identifier',
    'give the identifier in `details.identifier`',
  ],
  INVALID_LAYER: ['there is no such layer', 'use one of `details.layers`'],
  CONTENT_TOO_LONG: [
    'a text or a scope exceeds its limit',
    'split the text; `details` has the maximum',
  ],
  UNAUTHENTICATED: [
    'the token is missing or wrong',
    'send the token of the file `api-token` as a bearer token',
  ],
  FORBIDDEN: ['the caller may not act for that tenant or identifier', 'use another principal'],
  MEMORY_NOT_FOUND: ['the memory to update does not exist', 'add it instead'],
  NOT_FOUND: ['something other than a memory does not exist', 'check the name'],
  CONFLICT: [
    'another caller was faster, or a key, a port or a data folder is taken',
    'read again and repeat; stop the other varve; use a new key',
  ],
  BUDGET_EXHAUSTED: [
    'the next call could exceed the budget of the month',
    'raise the budget in the policy, or wait until `details.periodEndsAt`',
  ],
  CONTEXT_LIMIT_TOO_SMALL: [
    'the required parts do not fit: instructions and query, or newest messages',
    'give at least `details.required` tokens',
  ],
  FILTER_TOO_BROAD: ['a filter selects more than Varve can read', 'narrow the filter'],
  TENANT_CLAIMED: ['another owner has declared the tenant', 'choose another tenant id'],
  RATE_LIMITED: ['too many calls', 'repeat after `details.retryAfterMs`'],
  PROVIDER_ERROR: [
    'a part that Varve needs does not answer',
    'Varve retries it; `varve doctor` says which part',
  ],
  PROVIDER_REJECTED: ['a part refused the call', 'the message says what to change'],
  MISSING_PACKAGE: [
    'a part needs a package that is not installed',
    'where Varve runs, run the command in the message',
  ],
  MODEL_OUTPUT_INVALID: [
    'the answer of a model is unusable',
    'Varve asks again; after three failures, the scope becomes a dead letter',
  ],
  TIMEOUT: ['a part took too long', 'repeat; look for another program that holds the file'],
  CANCELLED: ['the caller or a shutdown ended it', 'nothing'],
  CORRUPT: [
    'stored text is damaged, or Varve has a bug',
    'see [health](operating/health.md#damage)',
  ],
};

/**
 * Returns the `type` of a problem: a reference (RFC 9457, 3.1.1) to the explanation of its code.
 */
export function problemType(code: ErrorCode): string {
  return `${ERRORS_PATH}#${code}`;
}

/** HTML with an anchor for each code. */
export function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(([code, { httpStatus, retryable }]) => {
    const [why, advice] = ADVICE[code as ErrorCode];
    const first = [`<code>${code}</code>`, String(httpStatus), retryable ? 'yes' : 'no'];
    return { id: code, cells: [...first, words(why), words(advice)] };
  });
  const head = ['Code', 'HTTP', 'Retryable', 'Why', 'What to do'];
  return page('errors', ['<h1>Errors</h1>', table(head, rows)]);
}

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}' +
  'td,th{text-align:left;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #8884;' +
  'vertical-align:top}tr:target,section:target>h3{background:#fd83}' +
  'pre{background:#8881;padding:.8rem;overflow:auto}:root{color-scheme:light dark}';

/** What a page may load: nothing but its own style. */
export const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'";
export const PAGE_TYPE = 'text/html; charset=utf-8';

/**
 * Returns an HTML page.
 * @param body HTML
 */
export function page(title: string, body: readonly string[]): string {
  const head = `<meta charset="utf-8"><title>Varve: ${escapedHtml(title)}</title>`;
  const style = `<style>${STYLE}</style>`;
  return `<!doctype html>\n<html lang="en">${head}${style}\n${body.join('\n')}\n</html>\n`;
}

/**
 * Returns an HTML table.
 * @param rows cells as HTML, each row with the anchor that links to it
 */
export function table(
  head: readonly string[],
  rows: readonly { readonly id?: string; readonly cells: readonly string[] }[],
): string {
  const lines = rows.map(({ id, cells }) => {
    const anchor = id === undefined ? '' : ` id="${escapedHtml(id)}"`;
    return `<tr${anchor}><td>${cells.join('</td><td>')}</td></tr>`;
  });
  return `<table><tr><th>${head.join('</th><th>')}</th></tr>\n${lines.join('\n')}\n</table>`;
}

export function escapedHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Converts `code` in backquotes to HTML, and Markdown links to their words. */
export function words(text: string): string {
  return escapedHtml(text)
    .replaceAll(/`([^`]+)`/gu, '<code>$1</code>')
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/gu, '$1');
}
