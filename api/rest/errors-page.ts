/** The page of errors, open to everybody: the type of a problem links to its row. */
import { ERRORS, type ErrorCode } from '#core/error-codes.ts';
import { ERROR_ADVICE } from '../error-advice.ts';

export const ERRORS_PATH = '/errors';

/** Returns the `type` of a problem: a reference (RFC 9457, 3.1.1) to its explanation. */
export function problemType(code: ErrorCode): string {
  return `${ERRORS_PATH}#${code}`;
}

/** HTML with an anchor for each code. */
export function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(([code, { httpStatus, retryable }]) => {
    const [why, advice] = ERROR_ADVICE[code as ErrorCode];
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
