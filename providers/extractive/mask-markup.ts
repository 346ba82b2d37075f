/**
 * Removes what is not prose from a source without moving anything: the masked text is as long as
 * the raw text, so offsets in it quote the raw text verbatim.
 *
 * Code, tables, headings, badges, link addresses and HTML become spaces; marks inside a word
 * (emphasis, backticks) become JOINER, which cleaning deletes; "\n" is left only between blocks.
 * Markup is that of CommonMark 0.31 and GitHub's tables.
 */
import { oneOf } from '#core/text/pattern.ts';

/** Word joiner: sentence splitting looks through it, and prose does not contain it. */
export const JOINER = '\u2060';

/** A line at least this long was wrapped by an editor, so its end need not end a sentence. */
const WRAPPED_LINE_CHARS_MIN = 45;

const TAG_NAMES = String.raw`
  a, b, i, p, br, hr, em, img, div, pre, sub, sup, kbd, code, span, strong, center, details,
  summary, picture, source, video, table, thead, tbody, t[rdh], [uo]l, li, h[1-6], blockquote
`;
const HTML_TAG = new RegExp(String.raw`</?${oneOf(TAG_NAMES)}(?:\s[^<>]{0,600})?/?>`, 'giu');
const SOUND_NAMES = String.raw`
  vocalsound, nonvocalsound, disfmarker, pause, gap, comment, laugh(?:s|ter|ing)?, inaudible,
  unintelligible, crosstalk, noise, music, applause, cough(?:s|ing)?, silence, background noise
`;
const SPEECH_TAG = new RegExp(
  String.raw`[{<[(]${oneOf(SOUND_NAMES)}[^\n{}<>[\]()]{0,30}[}>\])]`,
  'giu',
);

type Rewrite = (match: string, ...groups: string[]) => string;

const blank: Rewrite = (match) =>
  match.replace(/[^\n]/gu, (character) => ' '.repeat(character.length));
const joined = (length: number): string => JOINER.repeat(length);
const keepInner =
  (open: number, close: number): Rewrite =>
  (match) =>
    joined(open) + match.slice(open, match.length - close) + joined(close);

/** An address may itself hold one pair of brackets. */
const LINK_ADDRESS = String.raw`\([^()\n]{0,800}(?:\([^()\n]{0,200}\)[^()\n]{0,200})?\)`;

/** Applied in this order; every rewrite keeps the length of what it matched. */
const BLOCK_RULES: readonly (readonly [RegExp, Rewrite])[] = [
  [/^---\n[\s\S]{0,4000}?\n---(?=\n|$)/u, blank],
  [/^[ \t]*(```|~~~)[\s\S]*?(?:^[ \t]*\1[`~]*[ \t]*$|(?![\s\S]))/gmu, blank],
  [/<!--[\s\S]*?(?:-->|$)/gu, blank],
  [/<table\b[\s\S]*?(?:<\/table>|$)/giu, blank],
  [/<pre\b[\s\S]*?(?:<\/pre>|$)/giu, blank],
];

const INLINE_RULES: readonly (readonly [RegExp, Rewrite])[] = [
  [/!\[[^[\]\n]{0,300}\](?:\([^()\n]{0,800}\)|\[[^[\]\n]{0,200}\])/gu, blank],
  [/\[[ \u2060]*\](?:\([^()\n]{0,800}\)|\[[^[\]\n]{0,200}\])/gu, blank],
  [
    new RegExp(String.raw`\[([^[\]\n]{1,300})\](?:${LINK_ADDRESS}|\[[^[\]\n]{0,200}\])`, 'gu'),
    (match, label = '') => JOINER + label + joined(match.length - label.length - 1),
  ],
  [/<https?:\/\/[^\s<>]{1,800}>/gu, keepInner(1, 1)],
  [HTML_TAG, blank],
  [SPEECH_TAG, blank],
  [/\\(?=[[\]*_`#<>{}!-])/gu, () => JOINER],
  [/~~[^~\n]{1,300}~~/gu, blank],
  [/``[^`\n]{1,300}``/gu, keepInner(2, 2)],
  [/`[^`\n]{1,300}`/gu, keepInner(1, 1)],
  [/\*\*(?=[^\s*])[^\n]{1,300}?[^\s]\*\*/gu, keepInner(2, 2)],
  [/(?<![\p{L}\p{N}_])__(?=[^\s_])[^\n]{1,300}?[^\s]__(?![\p{L}\p{N}_])/gu, keepInner(2, 2)],
  [/(?<![\p{L}\p{N}*])\*(?=[^\s*])[^*\n]{0,300}[^\s*]\*(?![\p{L}\p{N}*])/gu, keepInner(1, 1)],
  [/(?<![\p{L}\p{N}_])_(?=[^\s_])[^_\n]{0,300}[^\s_]_(?![\p{L}\p{N}_])/gu, keepInner(1, 1)],
];

type LineKind = 'Blank' | 'Skipped' | 'Bullet' | 'Text';

interface MaskedLine {
  readonly kind: LineKind;
  readonly text: string;
}

const SKIPPED_LINES = [
  String.raw`#{1,6}(?:\s|$)`,
  String.raw`(?:>\s*)*\[!\w+\]`,
  String.raw`\|.*\|`,
  String.raw`\[[^\]\n]{1,200}\]:\s`,
  String.raw`(?:[-*_=]\s*){3,}$`,
  String.raw`:?-{2,}:?\s*\|`,
];
const SKIPPED_LINE = new RegExp(String.raw`^\s{0,3}(?:${SKIPPED_LINES.join('|')})`, 'u');
/** CommonMark's indented code: four columns in, and not inside a list. */
const INDENTED = /^(?: {4}|\t)\s*\S/u;
const BULLET = /^(\s*(?:>\s*)*(?:[-*•‣–]|\d{1,3}[.)])\s+(?:\p{Extended_Pictographic}\uFE0F?\s+)?)/u;
const COMMIT_HASH =
  /^`?(?=[0-9a-f]{0,40}\d)(?=[0-9a-f]{0,40}[a-f])[0-9a-f]{7,40}`?(?=[\s:])[\s:]*/u;
/** A list entry that is only a link points elsewhere and says nothing itself. */
const LINK_ENTRY = /^[*_ ]*\[[^[\]\n]{0,200}\](?:\([^()\n]{0,800}\)|\[[^[\]\n]{0,200}\])?[*_. ]*$/u;
const TERMINAL = /[.?!。！？…:：]["'”’)\]*_`\u2060]*\s*$/u;

/** Returns the raw text with all but prose masked: same length, "\n" only between blocks. */
export function maskMarkup(raw: string): string {
  if (!/[\n\r`*_<>[\]{}#|~•(-]/u.test(raw)) return raw;
  let text = raw.replace(/\r/gu, ' ');
  for (const [pattern, rewrite] of BLOCK_RULES) text = text.replace(pattern, rewrite);
  return joinWrappedLines(text);
}

function maskInline(line: string): string {
  let text = line;
  for (const [pattern, rewrite] of INLINE_RULES) text = text.replace(pattern, rewrite);
  return text;
}

function joinWrappedLines(text: string): string {
  const lines = text.split('\n');
  const bullets = lines.filter((line) => BULLET.test(line)).length;
  const flush = lines.some((line) => /^\S/u.test(line));
  let masked = '';
  let listed = false;
  let before: MaskedLine = { kind: 'Blank', text: '' };
  for (const [index, raw] of lines.entries()) {
    const indented: boolean = flush && INDENTED.test(raw) && before.kind !== 'Text' && !listed;
    const line: MaskedLine = indented ? skipped(raw) : maskLine(raw, bullets);
    if (line.kind === 'Bullet' || line.kind === 'Text') listed = line.kind === 'Bullet';
    if (index > 0) masked += isContinued(before, line.kind) ? ' ' : '\n';
    masked += line.text;
    before = line;
  }
  return maskInline(masked);
}

function isContinued(before: MaskedLine, kind: LineKind): boolean {
  if (kind !== 'Text' || (before.kind !== 'Text' && before.kind !== 'Bullet')) return false;
  return before.text.length >= WRAPPED_LINE_CHARS_MIN && !TERMINAL.test(before.text);
}

function skipped(line: string): MaskedLine {
  return { kind: 'Skipped', text: ' '.repeat(line.length) };
}

function maskLine(line: string, bullets: number): MaskedLine {
  if (line.trim() === '') return { kind: 'Blank', text: line };
  if (SKIPPED_LINE.test(line)) return skipped(line);
  const mark = BULLET.exec(line)?.[1] ?? '';
  if (mark === '')
    return { kind: 'Text', text: line.replace(/^\s*>+/u, (quote) => ' '.repeat(quote.length)) };
  const rest = line.slice(mark.length);
  // A lone "- 5 degrees" or "12. May" is a number, not a list.
  if (bullets < 2 && /\d/u.test(mark + rest.slice(0, 1))) return { kind: 'Text', text: line };
  if (LINK_ENTRY.test(rest)) return skipped(line);
  const hash = COMMIT_HASH.exec(rest)?.[0].length ?? 0;
  return { kind: 'Bullet', text: ' '.repeat(mark.length + hash) + rest.slice(hash) };
}
