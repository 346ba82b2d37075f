/** Pages of the API that people read: plain HTML without scripts, the same for everybody. */

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}' +
  'td,th{text-align:left;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #8884;' +
  'vertical-align:top}tr:target,section:target>h3{background:#fd83}' +
  'pre{background:#8881;padding:.8rem;overflow:auto}:root{color-scheme:light dark}';

/** What a page may load: nothing but its own style. */
export const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'";
export const PAGE_TYPE = 'text/html; charset=utf-8';

/** @param body HTML */
export function page(title: string, body: readonly string[]): string {
  const head = `<meta charset="utf-8"><title>Varve: ${escaped(title)}</title>`;
  const style = `<style>${STYLE}</style>`;
  return `<!doctype html>\n<html lang="en">${head}${style}\n${body.join('\n')}\n</html>\n`;
}

/** @param rows cells as HTML, each row with the anchor that leads to it */
export function table(
  head: readonly string[],
  rows: readonly { readonly id?: string; readonly cells: readonly string[] }[],
): string {
  const lines = rows.map(({ id, cells }) => {
    const anchor = id === undefined ? '' : ` id="${escaped(id)}"`;
    return `<tr${anchor}><td>${cells.join('</td><td>')}</td></tr>`;
  });
  return `<table><tr><th>${head.join('</th><th>')}</th></tr>\n${lines.join('\n')}\n</table>`;
}

export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Words with `code` in backquotes and links of Markdown, whose words stay. */
export function words(text: string): string {
  return escaped(text)
    .replaceAll(/`([^`]+)`/gu, '<code>$1</code>')
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/gu, '$1');
}
