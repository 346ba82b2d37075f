/** Splits Markdown into sections: the text under one heading, in the writer's own words. */
import { chunksOf } from '#core/text/cut-long-text.ts';
import { type CodeFence, fenceAfter } from '#core/text/code-fence.ts';
import { frontMatterLines } from '#core/text/front-matter.ts';
import { slugOf } from './import-item.ts';

interface Section {
  /** Headings from the top of the document down to this section's own. */
  readonly headings: readonly string[];
  /** Identifies the place in the document: slugs of the headings, with a number if they repeat. */
  readonly path: string;
  readonly text: string;
}

interface Heading {
  readonly level: number;
  readonly text: string;
}

interface Open {
  headings: readonly Heading[];
  lines: string[];
  /** How many of the first lines are the heading itself. */
  headingLines: number;
}

/** Longer lines are not headings. */
const HEADING_UNITS_MAX = 1_000;

const ATX = /^ {0,3}(#{1,6})(?:[ \t]+(\S.*)?)?$/;
const SETEXT = /^ {0,3}(=+|-{2,})[ \t]*$/;

/** Lines that cannot be the text of an underlined heading. */
const NOT_SETEXT_TEXT = /^(?: {4}|[ \t]*(?:[-*+>|#]|\d{1,9}[.)]|$))/;

const REFERENCE = /^ {0,3}\[[^\]]+\]:/;

/**
 * Returns sections in order. Front matter, HTML comments, lines of badges and sections without
 * prose are left out. A long section becomes several parts with the same headings.
 */
export function sectionsOf(document: string): readonly Section[] {
  const sections: Section[] = [];
  const used = new Map<string, number>();
  for (const { headings, lines, headingLines } of blocksOf(proseOf(document))) {
    if (!lines.slice(headingLines).some(isProse)) continue;
    const path = headings.map((heading) => slugOf(heading.text)).join('/') || 'top';
    const ordinal = (used.get(path) ?? 0) + 1;
    used.set(path, ordinal);
    const place = ordinal === 1 ? path : `${path}.${ordinal}`;
    // The heading stays with the first chunk, however long that is: alone it would say nothing.
    const bodyStart = lines.findIndex((line, at) => at >= headingLines && line.trim() !== '');
    const heading = lines
      .slice(0, bodyStart)
      .map((line) => `${line}\n`)
      .join('');
    const chunks = chunksOf(lines.slice(bodyStart).join('\n'), { fences: true });
    for (const [part, chunk] of chunks.filter((each) => each.trim() !== '').entries()) {
      sections.push({
        headings: headings.map((each) => each.text),
        path: part === 0 ? place : `${place}~${part + 1}`,
        text: withoutOuterBlankLines(part === 0 ? heading + chunk : chunk),
      });
    }
  }
  return sections;
}

function* blocksOf(lines: readonly string[]): Generator<Open> {
  let open: Open = { headings: [], lines: [], headingLines: 0 };
  let fence: CodeFence = null;
  for (const line of lines) {
    const next = fenceAfter(fence, line);
    const outside = fence === null && next === null;
    fence = next;
    const heading = outside ? atxHeading(line) : null;
    const level = outside && heading === null ? setextLevel(open, line) : null;
    if (heading !== null) {
      yield open;
      open = { headings: below(open.headings, heading), lines: [line], headingLines: 1 };
    } else if (level !== null) {
      const text = open.lines.pop() ?? '';
      yield open;
      const setext = { level, text: plain(text) };
      open = { headings: below(open.headings, setext), lines: [text, line], headingLines: 2 };
    } else {
      open.lines.push(line);
    }
  }
  yield open;
}

function below(headings: readonly Heading[], heading: Heading): readonly Heading[] {
  return [...headings.filter((above) => above.level < heading.level), heading];
}

function atxHeading(line: string): Heading | null {
  const match = line.length <= HEADING_UNITS_MAX ? ATX.exec(line) : null;
  if (match === null) return null;
  const text = (match[2] ?? '').replace(/[ \t]#+[ \t]*$/, '');
  return { level: match[1]?.length ?? 1, text: plain(text) };
}

/**
 * Returns the level of a heading that this line underlines: a single line of text, with a blank
 * line or nothing before it.
 */
function setextLevel(open: Open, line: string): number | null {
  const match = line.length <= HEADING_UNITS_MAX ? SETEXT.exec(line) : null;
  const text = open.lines.at(-1);
  if (match === null || text === undefined || open.lines.length <= open.headingLines) return null;
  if (text.length > HEADING_UNITS_MAX || NOT_SETEXT_TEXT.test(text)) return null;
  const before = open.lines.length - 1 > open.headingLines ? open.lines.at(-2) : '';
  if (before?.trim() !== '') return null;
  return match[1]?.startsWith('=') === true ? 1 : 2;
}

/** Returns a heading as plain text: link texts only, no images, no emphasis. */
function plain(heading: string): string {
  return heading
    .replaceAll(/!\[[^\]]{0,300}\]\([^)]{0,800}\)/g, '')
    .replaceAll(/\[([^\]]{0,300})\]\([^)]{0,800}\)/g, '$1')
    .replaceAll(/<[^<>]{0,300}>|\{#[^{}]{0,100}\}|[`*]/g, '')
    .trim();
}

function isProse(line: string): boolean {
  return /[\p{L}\p{N}]/u.test(line) && !REFERENCE.test(line);
}

/** Removes whole lines only, since the indentation of the first line has a meaning in Markdown. */
function withoutOuterBlankLines(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
}

/** Longer lines are prose or generated, not badges. */
const BADGE_LINE_UNITS_MAX = 8_000;

/** The target of an image or a link: an address, or the name of a reference. */
const TARGET = '(?:\\([^()]{0,800}\\)|\\[[^\\]]{0,200}\\])';

/** An image, or an image inside a link. */
const IMAGE = new RegExp(`\\[?!\\[[^\\]]{0,300}\\]${TARGET}(?:\\]${TARGET})?`, 'g');

const TAG =
  /<\/?(?:a|img|p|div|br|hr|picture|source|center|span|sub|sup|h[1-6])(?:\s[^<>]{0,900})?\/?>/gi;

/** What may be between badges. */
const BETWEEN_BADGES = /^(?:\s|[|•·]|&nbsp;)*$/;

/** Returns lines in order and verbatim, except that comments are cut out of them. */
function proseOf(document: string): readonly string[] {
  const lines = document.split('\n');
  const kept: string[] = [];
  let fence: CodeFence = null;
  let inComment = false;
  // A `<!--` without any `-->` after it is text; without this line, each would search again.
  const lastClosing = lines.findLastIndex((line) => line.includes('-->'));
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

/** Whether a position is after an odd number of backticks: inside inline code. */
function isInCode(line: string, at: number): boolean {
  return line.slice(0, at).split('`').length % 2 === 0;
}

function isBadges(line: string): boolean {
  if (line.length > BADGE_LINE_UNITS_MAX || !/[<[!]/.test(line)) return false;
  return BETWEEN_BADGES.test(line.replaceAll(IMAGE, '').replaceAll(TAG, ''));
}
