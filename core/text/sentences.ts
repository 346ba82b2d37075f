/** Splits masked text into sentences, and over-long sentences into clauses. Offsets, not copies. */
import { monthOf } from './calendar-word.ts';
import { oneOf } from './pattern.ts';

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Sentence rules of Unicode UAX #29, which every language shares; fixed, so bytes don't vary. */
const SEGMENTER = new Intl.Segmenter('und', { granularity: 'sentence' });

/** UAX #29 ends a sentence after these before a capital letter; English does not. */
const ABBREVIATIONS = oneOf(String.raw`
  Dr, Mr, Mrs, Ms, Prof, St, Jr, Sr, vs, etc, e\.g, i\.e, cf, approx, No, Fig, Eq, Inc, Ltd, [A-Z]
`);
const ABBREVIATION = new RegExp(String.raw`(?:^|[\s(])${ABBREVIATIONS}\.\s*$`, 'u');

/** A sentence of one paragraph longer than this is split before it is looked at. */
const SENTENCE_CHARS_MAX = 1200;

/** Sentences of a masked text in order, trimmed, never across a "\n". */
export function sentenceRanges(masked: string): readonly Range[] {
  const ranges: Range[] = [];
  let lineStart = 0;
  for (const line of masked.split('\n')) {
    for (const range of lineSentences(line)) {
      ranges.push({ start: range.start + lineStart, end: range.end + lineStart });
    }
    lineStart += line.length + 1;
  }
  return ranges;
}

function lineSentences(line: string): readonly Range[] {
  const ranges: Range[] = [];
  let start = 0;
  for (const { segment, index } of SEGMENTER.segment(line)) {
    const end = index + segment.length;
    const last = line.slice(Math.max(start, end - 20), end);
    if (end < line.length && (ABBREVIATION.test(last) || isDay(last, line.slice(end, end + 20)))) {
      continue;
    }
    for (let from = start; from < end; from += SENTENCE_CHARS_MAX) {
      const range = trimRange(line, { start: from, end: Math.min(end, from + SENTENCE_CHARS_MAX) });
      if (range.end > range.start) ranges.push(range);
    }
    start = end;
  }
  return ranges;
}

/** `am 4. Juni`: the stop behind a day does not end a sentence. */
function isDay(before: string, behind: string): boolean {
  const word = /^\p{L}+/u.exec(behind)?.[0] ?? '';
  return /(?<![\d.,])\d{1,2}\.\s*$/u.test(before) && monthOf(word.toLowerCase()) !== undefined;
}

/** The range without white space and joiners at its ends. */
export function trimRange(text: string, range: Range): Range {
  let { start, end } = range;
  while (start < end && isSpace(text[start])) start += 1;
  while (end > start && isSpace(text[end - 1])) end -= 1;
  return { start, end };
}

function isSpace(character: string | undefined): boolean {
  return character !== undefined && /[\s\u2060]/u.test(character);
}

/** Where a clause may end: the strongest kind that makes parts short enough is used first. */
const CLAUSE_ENDS: readonly RegExp[] = [
  /[;；:：—–](?=\s|\p{Lo})|\s-(?=\s)/gu,
  /[,，、](?=\s|\p{Lo})/gu,
  /\s(?=(?:and|but|so|because|which|that|where|when|if|or|then)\s)/gu,
  /\s/gu,
];

interface Cutting {
  readonly text: string;
  /** Whether a range is short enough. */
  readonly fits: (range: Range) => boolean;
}

/**
 * Parts of a range of which each fits, cut at the strongest clause ends that suffice and packed as
 * full as possible. What has no clause end is halved; a character that does not fit is left out.
 */
export function clauseRanges(cutting: Cutting, range: Range, level = 0): readonly Range[] {
  const whole = trimRange(cutting.text, range);
  if (whole.end <= whole.start) return [];
  if (cutting.fits(whole)) return [whole];
  const pattern = CLAUSE_ENDS[level];
  if (pattern === undefined) return halves(cutting, whole);
  const parts: Range[] = [];
  let open: Range | undefined;
  for (const piece of piecesAt(cutting.text, whole, pattern)) {
    const wider = open === undefined ? piece : { start: open.start, end: piece.end };
    if (cutting.fits(wider)) {
      open = wider;
      continue;
    }
    if (open !== undefined) parts.push(open);
    open = cutting.fits(piece) ? piece : undefined;
    if (open === undefined) parts.push(...clauseRanges(cutting, piece, level + 1));
  }
  if (open !== undefined) parts.push(open);
  return parts.map((part) => trimRange(cutting.text, part)).filter((part) => part.end > part.start);
}

function piecesAt(text: string, range: Range, pattern: RegExp): readonly Range[] {
  const pieces: Range[] = [];
  let start = range.start;
  for (const match of text.slice(range.start, range.end).matchAll(pattern)) {
    const end = range.start + match.index + match[0].length;
    if (end >= range.end) break;
    pieces.push({ start, end });
    start = end;
  }
  pieces.push({ start, end: range.end });
  return pieces;
}

function halves(cutting: Cutting, range: Range): readonly Range[] {
  let middle = Math.floor((range.start + range.end) / 2);
  // Never between the two halves of a surrogate pair.
  if (/[\uDC00-\uDFFF]/u.test(cutting.text.charAt(middle))) middle -= 1;
  if (middle <= range.start) return [];
  const level = CLAUSE_ENDS.length;
  return [
    ...clauseRanges(cutting, { start: range.start, end: middle }, level),
    ...clauseRanges(cutting, { start: middle, end: range.end }, level),
  ];
}
