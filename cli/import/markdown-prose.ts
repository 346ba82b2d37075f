/** The lines of a Markdown document that a person reads: no front matter, comments or badges. */
import { type Fence, fenceAfter } from '#core/text/code-fence.ts';

/** Front matter is at most this long; else the document begins with a line across the page. */
const FRONT_MATTER_LINES_MAX = 400;

/** Longer lines are prose or generated, not badges. */
const BADGE_LINE_UNITS_MAX = 8_000;

/** Where an image or a link leads: an address, or the name of a reference. */
const TARGET = '(?:\\([^()]{0,800}\\)|\\[[^\\]]{0,200}\\])';

/** An image, or one that is a link. */
const IMAGE = new RegExp(`\\[?!\\[[^\\]]{0,300}\\]${TARGET}(?:\\]${TARGET})?`, 'g');

const TAG =
  /<\/?(?:a|img|p|div|br|hr|picture|source|center|span|sub|sup|h[1-6])(?:\s[^<>]{0,900})?\/?>/gi;

/** What may stand between badges. */
const BETWEEN_BADGES = /^(?:\s|[|•·]|&nbsp;)*$/;

/** Lines in order, verbatim but for the comments cut out of them. */
export function proseOf(document: string): readonly string[] {
  const lines = document.split('\n');
  const kept: string[] = [];
  let fence: Fence = null;
  let inComment = false;
  // An opening without any closing after it is text; without this mark each would search anew.
  const lastClosing = lastLineWith(lines, '-->');
  for (let at = frontMatterLines(lines); at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (fence !== null) {
      kept.push(line);
      fence = fenceAfter(fence, line);
      continue;
    }
    const stripped = withoutComments(line, { inComment, closes: at < lastClosing });
    inComment = stripped.inComment;
    const emptied = stripped.text !== line && stripped.text.trim() === '';
    if (emptied || isBadges(stripped.text)) continue;
    kept.push(stripped.text);
    fence = fenceAfter(null, stripped.text);
  }
  return kept;
}

/** YAML between `---`, or TOML between `+++`, from the first line on. */
function frontMatterLines(lines: readonly string[]): number {
  const mark = lines[0]?.trimEnd();
  if (mark !== '---' && mark !== '+++') return 0;
  const end = lines.slice(1, FRONT_MATTER_LINES_MAX).findIndex((line) => line.trimEnd() === mark);
  // A heading or a sentence between two lines across the page is not front matter.
  const isFields = /^[\w"'-]+\s*[:=]/.test(lines[1] ?? '') || end === 0;
  return end === -1 || !isFields ? 0 : end + 2;
}

function lastLineWith(lines: readonly string[], text: string): number {
  return lines.findLastIndex((line) => line.includes(text));
}

function withoutComments(
  line: string,
  state: { inComment: boolean; closes: boolean },
): { text: string; inComment: boolean } {
  let text = '';
  let at = 0;
  let { inComment } = state;
  while (at < line.length) {
    const next = inComment ? line.indexOf('-->', at) : line.indexOf('<!--', at);
    if (inComment) {
      if (next === -1) return { text, inComment };
      at = next + 3;
      inComment = false;
      continue;
    }
    const opens =
      next !== -1 && !isInCode(line, next) && (state.closes || line.indexOf('-->', next) !== -1);
    text += line.slice(at, opens ? next : line.length);
    at = opens ? next + 4 : line.length;
    inComment = opens;
  }
  return { text, inComment };
}

/** Whether a place lies after an odd number of backticks: inside a span of code. */
function isInCode(line: string, at: number): boolean {
  return line.slice(0, at).split('`').length % 2 === 0;
}

function isBadges(line: string): boolean {
  if (line.length > BADGE_LINE_UNITS_MAX || !/[<[!]/.test(line)) return false;
  return BETWEEN_BADGES.test(line.replaceAll(IMAGE, '').replaceAll(TAG, ''));
}
