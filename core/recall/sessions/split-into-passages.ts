/**
 * Splits a turn into passages: sentences and whole code blocks. A short sentence joins the one
 * before it. A fact takes one or two sentences, and its turn is often four times as long.
 */
import { HAN } from '../../text/language.ts';
import { sentenceSpans } from '../../text/sentences.ts';

/** A sentence shorter than this, such as "Noted.", says little alone. */
const SHORT_UNITS_MAX = 14;
/** The same for Chinese, whose words have one or two characters. */
const SHORT_HAN_UNITS_MAX = 5;

/** A longer passage is cut at a space, so that one endless run does not fill a context. */
const PASSAGE_UNITS_MAX = 1_200;

/** Maximum passages of one turn. If there are more, neighbors are joined: no text is left out. */
export const PASSAGES_MAX = 400;

const CODE = /```[\s\S]*?(?:```|$)/gu;
/** A day of the month or a list number, whose period does not end a sentence. */
const NUMBERED = /(?:^|[\s(])\d{1,2}\.$/u;

/** Matches what belongs to the text after it: an item's number or bullet, or a list's title. */
const LEADS_ON = /^(?:\d{1,3}[.)]|[-*•]|.*[:：])$/u;

interface LinedPassage {
  readonly text: string;
  /** Whether it begins a line of its text. */
  readonly startsLine: boolean;
  /** Whether no space is between it and the passage before, as in `你好。再见`. */
  readonly isGlued: boolean;
}

/** Returns the passages in order, each trimmed, nonempty, and with its line breaks. */
export function passagesOf(text: string): readonly string[] {
  return linedPassages(text).map((passage) => passage.text);
}

/** As `passagesOf`, and tells which passages begin a line. */
export function linedPassages(text: string): readonly LinedPassage[] {
  const passages: LinedPassage[] = [];
  let from = 0;
  for (const block of text.matchAll(CODE)) {
    const before = text.slice(from, block.index);
    addSentences(passages, before);
    const startsLine = /(?:^|\n)[ \t]*$/u.test(before);
    addPieces(passages, { text: block[0].trim(), startsLine, isGlued: /\S$/u.test(before) });
    from = block.index + block[0].length;
  }
  addSentences(passages, text.slice(from));
  return atMost(PASSAGES_MAX, passages);
}

function atMost(most: number, passages: readonly LinedPassage[]): readonly LinedPassage[] {
  if (passages.length <= most) return passages;
  const joined: LinedPassage[] = [];
  for (let at = 0; at < passages.length; at += 2) {
    const [one, next] = passages.slice(at, at + 2);
    if (one === undefined) continue;
    const text = next === undefined ? one.text : joinedText(one, next);
    joined.push({ ...one, text });
  }
  return atMost(most, joined);
}

function addSentences(passages: LinedPassage[], text: string): void {
  let last: LinedPassage | null = null;
  for (const sentence of linedSentences(text)) {
    const joined: string = last === null ? '' : joinedText(last, sentence);
    const isOne = last !== null && belongTogether(last.text, sentence);
    if (last !== null && isOne && joined.length <= PASSAGE_UNITS_MAX) {
      passages[passages.length - 1] = { ...last, text: joined };
    } else addPieces(passages, sentence);
    last = passages.at(-1) ?? null;
  }
}

function linedSentences(text: string): readonly LinedPassage[] {
  const sentences: LinedPassage[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    let place = 0;
    for (const { start, end } of sentenceSpans(line)) {
      const one = line.slice(start, end).trim();
      if (one === '') continue;
      const isGlued =
        place > 0 && /\S$/u.test(line.slice(0, start)) && /\S/u.test(line.charAt(start));
      sentences.push({ text: one, startsLine: at > 0 && place === 0, isGlued });
      place += 1;
    }
  }
  return sentences;
}

function joinedText(last: LinedPassage, { text, startsLine, isGlued }: LinedPassage): string {
  const gap = startsLine ? '\n' : ' ';
  return `${last.text}${isGlued ? '' : gap}${text}`;
}

function belongTogether(last: string, { text, startsLine }: LinedPassage): boolean {
  const leadsOn = startsLine && LEADS_ON.test(text);
  return (isShort(text) && !leadsOn) || isShort(last) || NUMBERED.test(last);
}

function addPieces(passages: LinedPassage[], whole: LinedPassage): void {
  const startsLine = false;
  let from = 0;
  for (const piece of pieces(whole.text)) {
    const start = whole.text.indexOf(piece, from);
    const isGlued = from > 0 && start === from;
    passages.push(from === 0 ? { ...whole, text: piece } : { text: piece, startsLine, isGlued });
    from = start + piece.length;
  }
}

function isShort(sentence: string): boolean {
  return sentence.length < (HAN.test(sentence) ? SHORT_HAN_UNITS_MAX : SHORT_UNITS_MAX);
}

function pieces(text: string): readonly string[] {
  const found: string[] = [];
  let rest = text;
  while (rest.length > PASSAGE_UNITS_MAX) {
    const end = cutBefore(rest, PASSAGE_UNITS_MAX);
    found.push(rest.slice(0, end).trim());
    rest = rest.slice(end).trim();
  }
  if (rest !== '') found.push(rest);
  return found;
}

/** Returns a cut at a space in the second half, or anywhere but inside a surrogate pair. */
function cutBefore(text: string, most: number): number {
  const space = text.lastIndexOf(' ', most);
  if (space > most / 2) return space;
  return /[\uDC00-\uDFFF]/u.test(text.charAt(most)) ? most - 1 : most;
}
