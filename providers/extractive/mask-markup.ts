/**
 * Removes what is not prose from a source without moving anything: the masked text is as long as
 * the raw text, so offsets in it quote the raw text verbatim.
 *
 * Code blocks, tables, headings, badges, link addresses and HTML become spaces; marks inside a word
 * (emphasis) become JOINER, which cleaning deletes; "\n" is left only between blocks. Code inside a
 * sentence stays as it is, and so does a line of code that a sentence introduces with a colon.
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
const FRONT_MATTER = /^---\n[\s\S]{0,4000}?\n---(?=\n|$)/u;
const BLOCK_RULES: readonly (readonly [RegExp, Rewrite])[] = [
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
  let text = raw.replace(/\r/gu, ' ').replace(FRONT_MATTER, blank).replace(FENCED_CODE, maskFenced);
  for (const [pattern, rewrite] of BLOCK_RULES) text = text.replace(pattern, rewrite);
  return joinWrappedLines(text);
}

/** A fenced block, with the sentence before it if that introduces it. */
const FENCED_CODE = new RegExp(
  String.raw`(?:^(?<intro>[^\n]*[:：])(?<gap>[ \t]*\n(?:[ \t]*\n)?))?` +
    String.raw`^(?<open>[ \t]*(?<fence>${'```'}|~~~)[^${'`'}\n]*(?:\n|(?![\s\S])))` +
    String.raw`(?<code>[\s\S]*?)` +
    String.raw`(?<close>\n?[ \t]*\k<fence>[${'`'}~]*[ \t]*$|(?![\s\S]))`,
  'gmu',
);
/** Longer code would take the room of a whole fact. */
const CODE_UNITS_MAX = 120;
const BEFORE_INTRO = /^.*[.!?。！？]\s+/u;

/** Joins a line of code to the sentence that introduces it; neither stays without the other. */
function maskFenced(match: string, ...groups: unknown[]): string {
  const parts = groups.at(-1) as Readonly<Record<string, string | undefined>>;
  const { intro, gap = '', open = '', code = '', close = '' } = parts;
  if (intro === undefined) return blank(match);
  const line = code.trim();
  const isShown = line !== '' && !/[`\n]/u.test(line) && line.length <= CODE_UNITS_MAX;
  if (!isShown || close === '') {
    const before = BEFORE_INTRO.exec(intro)?.[0] ?? '';
    return before + blank(match.slice(before.length));
  }
  const start = ' '.repeat(gap.length + open.length - 1);
  const end = '`.'.padEnd(close.length);
  return `${intro}${start}\`${code.replaceAll('\n', ' ')}${end}`;
}

/** Code inside a sentence, with its back-ticks. */
export const CODE_SPAN = /(?<!`)(`{1,3})([^`\n]{1,300})\1(?!`)/gu;
/** Stands for a character of code, which no rule may change. */
const CODE_UNIT = '\u{E000}';
const PLAIN_WORD = /^[\p{L}\p{N}]+$/u;

function maskInline(line: string): string {
  let text = line.replace(CODE_SPAN, (span) => CODE_UNIT.repeat(span.length));
  for (const [pattern, rewrite] of INLINE_RULES) text = text.replace(pattern, rewrite);
  const parts: string[] = [];
  let from = 0;
  for (const span of line.matchAll(CODE_SPAN)) {
    const to = span.index + span[0].length;
    const left = text.slice(span.index, to);
    const isLeft = left === CODE_UNIT.repeat(left.length);
    parts.push(text.slice(from, span.index), isLeft ? codeOf(span) : left);
    from = to;
  }
  return parts.join('') + text.slice(from);
}

/** Returns code with one back-tick on each side; a plain word needs none. */
function codeOf([, ticks = '', code = '']: RegExpExecArray): string {
  const isWord = PLAIN_WORD.test(code);
  const more = joined(isWord ? ticks.length : ticks.length - 1);
  return `${more}${isWord ? code : `\`${code}\``}${more}`;
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
