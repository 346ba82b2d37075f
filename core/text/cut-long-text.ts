/**
 * Cuts a long text into chunks of the size of a memory, at the strongest boundary nearby:
 * paragraph, sentence or word. Joined, the chunks are exactly the text.
 */
import { CONTENT_LENGTH_MAX } from '../records/memory.ts';
import { type CodeFence, fenceAfter } from './code-fence.ts';

/** Target size of a memory in UTF-16 code units: a few hundred tokens, one topic, cheap to cite. */
const CHUNK_UNITS_AIM = 1_500;

/** Maximum length of code that is kept whole; leaves room for a heading before it. */
const CODE_UNITS_MAX = CONTENT_LENGTH_MAX - 2_500;

/** Maximum text for one call of the sentence segmenter; a paragraph is rarely longer. */
const SENTENCE_WINDOW_UNITS = 16_384;

/** Sentence rules of Unicode UAX #29, which every language shares. */
const SEGMENTER = new Intl.Segmenter('und', { granularity: 'sentence' });

/** An end of line in a paragraph, unless a list item, a quote or a table row begins after it. */
const SOFT_BREAK = /\n(?![ \t]*(?:[-*+|>]|\d{1,9}[.)]))/g;

/** A part of the text that is not cut further. */
interface Atom {
  readonly start: number;
  readonly end: number;
  readonly code: boolean;
}

/** Returns chunks of about `aim` code units; keeps fenced code whole up to the hard limit. */
export function chunksOf(
  text: string,
  options: { aim?: number; fences?: boolean } = {},
): readonly string[] {
  const aim = Math.min(options.aim ?? CHUNK_UNITS_AIM, CONTENT_LENGTH_MAX);
  if (text.length <= aim) return [text];
  const chunks: string[] = [];
  let start = 0;
  let end = 0;
  for (const paragraph of paragraphsOf(text, options.fences === true)) {
    for (const atom of atomsOf(text, paragraph, aim)) {
      // Code stays with the sentence that introduces it, even at twice the aim.
      const limit = atom.code ? Math.min(2 * aim, CODE_UNITS_MAX) : aim;
      if (end > start && atom.end - start > limit) {
        chunks.push(text.slice(start, end));
        start = end;
      }
      end = atom.end;
    }
  }
  if (end > start) chunks.push(text.slice(start, end));
  return chunks;
}

/** Yields paragraphs with the blank lines after them; a fenced block is always one paragraph. */
function* paragraphsOf(text: string, fences: boolean): Generator<Atom> {
  let start = 0;
  let at = 0;
  let blank = false;
  let fence: CodeFence = null;
  let code = false;
  while (at < text.length) {
    const newline = text.indexOf('\n', at);
    const lineEnd = newline === -1 ? text.length : newline + 1;
    const line = text.slice(at, newline === -1 ? text.length : newline);
    const next: CodeFence = fences ? fenceAfter(fence, line) : null;
    const opens = fence === null && next !== null;
    const isBlank = fence === null && line.trim() === '';
    const begins = opens || (!isBlank && blank) || (code && fence === null && !isBlank);
    if (begins && at > start) {
      yield { start, end: at, code };
      start = at;
      code = false;
    }
    if (opens) code = true;
    blank = isBlank;
    fence = next;
    at = lineEnd;
  }
  if (at > start) yield { start, end: at, code };
}

function* atomsOf(text: string, paragraph: Atom, aim: number): Generator<Atom> {
  const { start, end, code } = paragraph;
  const whole = code ? CODE_UNITS_MAX : aim;
  if (end - start <= whole) {
    yield paragraph;
    return;
  }
  if (code) {
    yield* cutRange(text, paragraph, { unitsMax: CODE_UNITS_MAX, at: '\n' });
    return;
  }
  for (const window of cutRange(text, paragraph, { unitsMax: SENTENCE_WINDOW_UNITS, at: ' ' })) {
    const masked = text.slice(window.start, window.end).replaceAll(SOFT_BREAK, ' ');
    for (const { segment, index } of SEGMENTER.segment(masked)) {
      const from = window.start + index;
      const sentence = { start: from, end: from + segment.length, code };
      yield* cutRange(text, sentence, { unitsMax: aim, at: ' ' });
    }
  }
}

/** Yields parts of at most `unitsMax`, cut after the last `at` that is not too early, if any. */
function* cutRange(
  text: string,
  range: Atom,
  { unitsMax, at }: { unitsMax: number; at: string },
): Generator<Atom> {
  let { start } = range;
  while (range.end - start > unitsMax) {
    const boundary = text.slice(start, start + unitsMax).lastIndexOf(at) + 1;
    const isLate = boundary > unitsMax / 2;
    const cut = isLate ? start + boundary : outsidePair(text, start + unitsMax);
    yield { start, end: cut, code: range.code };
    start = cut;
  }
  yield { start, end: range.end, code: range.code };
}

function outsidePair(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}
