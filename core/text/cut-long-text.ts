/**
 * Cuts a long text into chunks of the size of a memory, at the strongest boundary nearby:
 * paragraph, sentence or word. Joined, the chunks are exactly the text.
 */
import { CONTENT_LENGTH_MAX } from '../records/memory.ts';
import { type CodeFence, fenceAfter } from './code-fence.ts';
import { continuesAfter, sentenceSpans } from './sentences.ts';

/** Target size of a memory in UTF-16 code units: a few hundred tokens, one topic, cheap to cite. */
const CHUNK_UNITS_AIM = 1_500;

/** Maximum length of code that is kept whole; leaves room for a heading before it. */
const CODE_UNITS_MAX = CONTENT_LENGTH_MAX - 2_500;

/** Maximum text in which sentences are found at once; a paragraph is rarely longer. */
const SENTENCE_WINDOW_UNITS = 16_384;

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
  for (const sentence of sentencesOf(text, paragraph)) {
    yield* cutRange(text, sentence, { unitsMax: aim, at: ' ' });
  }
}

/** Yields the sentences of a paragraph, window by window; the next window begins at a sentence. */
function* sentencesOf(text: string, { start, end, code }: Atom): Generator<Atom> {
  let from = start;
  while (from < end) {
    const to = Math.min(end, outsidePair(text, from + SENTENCE_WINDOW_UNITS));
    const spans = sentenceSpans(text.slice(from, to).replaceAll(SOFT_BREAK, ' '));
    // The window may end within its last sentence.
    const whole = to < end && spans.length > 1 ? spans.slice(0, -1) : spans;
    for (const span of whole) yield { start: from + span.start, end: from + span.end, code };
    from += whole.at(-1)?.end ?? to - from;
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
    const boundary = boundaryIn(text.slice(start, start + unitsMax), at);
    const isLate = boundary > unitsMax / 2;
    const cut = isLate ? start + boundary : outsidePair(text, start + unitsMax);
    yield { start, end: cut, code: range.code };
    start = cut;
  }
  yield { start, end: range.end, code: range.code };
}

/** Returns the place after the last `at` that parts no abbreviation from its name; 0 if none. */
function boundaryIn(part: string, at: string): number {
  let found = part.lastIndexOf(at) + 1;
  while (found > part.length / 2 && continuesAfter(part, found)) {
    found = part.lastIndexOf(at, found - 2) + 1;
  }
  return found;
}

/** Returns the place, or the one before it if a surrogate pair would be cut there. */
export function outsidePair(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const before = text.charCodeAt(at - 1);
  const insidePair = unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
  return insidePair ? at - 1 : at;
}
