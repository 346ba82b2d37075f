/** Splits masked text into sentences, and long ones into clauses. Returns offsets, no copies. */
import { monthOf, WEEKDAYS } from './calendar-words.ts';
import { oneOf } from './pattern.ts';

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Sentence rules of Unicode UAX #29 for all languages; a fixed locale keeps results the same. */
const SEGMENTER = new Intl.Segmenter('und', { granularity: 'sentence' });

/** Abbreviations after which UAX #29 ends a sentence before a capital letter; readers do not. */
const ABBREVIATIONS = oneOf(String.raw`
  Dr, Drs, Dra, Mr, Mrs, Ms, Messrs, Prof, Rev, Hon, Capt, Sgt, Lt, Col, Gen, Gov, Sen, Rep,
  St, Ste, Sta, Sto, Mt, Jr, Sr, Sres, Sra, Sras, Srta, Dña, Lic, Ing, Arq, Avda, Gral,
  Hr, Hrn, Fr, Frl, Dipl, Mag, Univ\.-Prof, Hrsg, Nr, Mme, Mlle, Ud, Uds, vs, etc,
  e\.g, i\.e, p\. ?ej, cf, approx, aprox, ca, bzw, resp, sog, bspw, incl, excl, inkl, exkl,
  evtl, ggf, vgl, zzgl, Fig, Eq, Inc, Ltd, EE,
  (?<=Dr\. (?:\p{L}+\. )*)(?:med|dent|vet|phil|jur|iur|rer|nat|pol|oec|theol|habil|mult),
  \p{Lu}, \p{Ll}
`);
/** An abbreviated amount, such as `2 Mio. Euro`, which no new sentence follows. */
const AMOUNT = /(?:\d|\s)(?:Mio|Mrd|Tsd|Mill|mn|bn)\.\s*$/u;
/** A time of day, which a zone or a day may follow: `10 a.m. CET`, `at 9 p.m. Monday`. */
const HALF_OF_DAY = /\d\s?[ap]\.m\.\s*$/iu;
const ZONE_OR_DAY = new RegExp(
  String.raw`^\(?(?:[A-Z]{1,3}S?T|UTC|GMT|MES?Z|${WEEKDAYS.en}|` +
    String.raw`(?:Eastern|Central|Mountain|Pacific)|\p{Lu}\p{Ll}+ time)(?!\p{L})`,
  'u',
);
const OPENER = new RegExp(
  String.raw`^${oneOf(
    'D(?:as|er|ie|ann|avon|amit), Es, Wir, Ich, Sie, Er, El, La, Los, Las, The, It, This, We, I',
  )}(?!\p{L})`,
  'u',
);
const BEFORE = String.raw`(?:^|[\s(\[{"'“”„«/*_])`;
const ABBREVIATION = new RegExp(`${BEFORE}${ABBREVIATIONS}\\.\\s*$`, 'u');

/** Abbreviations before a number: these, and words without a vowel, such as "Nr" and "Str". */
const NUMBERED = oneOf(String.raw`
  no, num, núm, ext, pág, pags, págs, p, pp, ch, cap, chap, kap, vol, sec, fig, eq, abb, tab, art,
  abs, tel, max, min, máx, mín, apdo, aufl, ed, rev, aprox, approx, ca,
  \p{L}*str, [b-df-hj-np-tv-xz]+, jan, feb, mar, apr, jun, jul, aug, sept?, oct, okt, nov, dec,
  dez, ene, abr, ago, dic
`);
const BEFORE_NUMBER = new RegExp(`${BEFORE}${NUMBERED}\\.\\s*$`, 'iu');
const NUMBER = /^[#$€£]?(\d+)/u;
/** Nouns after a German ordinal, whose period then ends no sentence: `im 2. Stock`. */
const COUNTED = oneOf(String.raw`
  Stock, Stockwerk, Etage, OG, UG, Obergeschoss, Mal, Platz, Klasse, Reihe, Quartal, Halbjahr,
  Semester, Schuljahr, Lebensjahr, Woche, Runde, Kapitel, Weltkrieg, Geburtstag,
  Hochzeitstag, Liga, Advent, Versuch, Auflage, Bezirk, Stufe, Staffel, Gang, Spieltag
`);
const ORDINAL = new RegExp(`^${COUNTED}(?!\\p{L})`, 'u');

/** A longer sentence is split into clauses. */
const SENTENCE_CHARS_MAX = 1200;

/** Returns the sentences of a masked text in order, trimmed; none crosses a "\n". */
export function sentenceRanges(masked: string): readonly Range[] {
  const ranges: Range[] = [];
  findSentence(masked, (range) => {
    ranges.push(range);
    return false;
  });
  return ranges;
}

/** Returns the first sentence of `sentenceRanges` that is sought, and reads no lines after it. */
export function findSentence(
  masked: string,
  isSought: (range: Range) => boolean,
): Range | undefined {
  let lineStart = 0;
  for (;;) {
    const newline = masked.indexOf('\n', lineStart);
    const lineEnd = newline === -1 ? masked.length : newline;
    for (const { start, end } of lineSentences(masked.slice(lineStart, lineEnd))) {
      const range = { start: start + lineStart, end: end + lineStart };
      if (isSought(range)) return range;
    }
    if (newline === -1) return undefined;
    lineStart = newline + 1;
  }
}

/** Returns the whole sentences of a text in order, trimmed, of any length; none spans two lines. */
export function sentencesIn(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const ranges = wholeSentences(line);
    return ranges
      .map(({ start, end }) => line.slice(start, end).trim())
      .filter((one) => one !== '');
  });
}

/** Returns ranges that cover a text: whole sentences with the space after each, by line. */
export function sentenceSpans(text: string): readonly Range[] {
  const spans: Range[] = [];
  let lineStart = 0;
  while (lineStart < text.length) {
    const newline = text.indexOf('\n', lineStart);
    const lineEnd = newline === -1 ? text.length : newline;
    const ranges = wholeSentences(text.slice(lineStart, lineEnd));
    for (const { start, end } of ranges.slice(0, -1)) {
      spans.push({ start: lineStart + start, end: lineStart + end });
    }
    const last = lineStart + (ranges.at(-1)?.start ?? 0);
    lineStart = newline === -1 ? text.length : newline + 1;
    spans.push({ start: last, end: lineStart });
  }
  return spans;
}

/** Whether a sentence continues after a mark at this place, with or without its space. */
export function continuesAfter(text: string, end: number): boolean {
  const from = Math.max(0, end - LINE_START_UNITS);
  const space = /^[^\S\n]*/u.exec(text.slice(end, end + NEAR_UNITS))?.[0].length ?? 0;
  const near = text.slice(from, end + space + RUN_UNITS);
  const place = end + space - from;
  const isInRun = /[.!?]\S/u.test(near.slice(place - 1, place + 1));
  return goesOn(near, 0, place) || (isInRun && endOfRun(near, 0, place) !== place);
}

function lineSentences(line: string): readonly Range[] {
  return wholeSentences(line).flatMap(({ start, end }) => {
    const ranges: Range[] = [];
    for (let from = start; from < end; from += SENTENCE_CHARS_MAX) {
      const range = trimRange(line, { start: from, end: Math.min(end, from + SENTENCE_CHARS_MAX) });
      if (range.end > range.start) ranges.push(range);
    }
    return ranges;
  });
}

/** Characters that may end a sentence by UAX #29, including line breaks other than "\n". */
const ENDS = '\\p{Sentence_Terminal}․﹒．\\r\\u0085\\u2028\\u2029';
/** A line with one sentence, as most lines are: skips the segmenter, which takes most time. */
const ONE_SENTENCE = new RegExp(`^[^${ENDS}]*[.!?]* *$`, 'u');

function wholeSentences(line: string): readonly Range[] {
  // The segmenter is slow even on empty lines.
  if (line === '') return [];
  if (ONE_SENTENCE.test(line)) return [{ start: 0, end: line.length }];
  const ranges: Range[] = [];
  const data = jsonRanges(line);
  let start = 0;
  let passed = 0;
  for (const { segment, index } of SEGMENTER.segment(line)) {
    const marked = index + segment.length;
    while ((data[passed]?.end ?? line.length) < marked) passed += 1;
    const isInData =
      (data[passed]?.start ?? line.length) < marked && marked < (data[passed]?.end ?? 0);
    if (marked <= start || (marked < line.length && (isInData || goesOn(line, start, marked)))) {
      continue;
    }
    const end = endOfRun(line, start, marked);
    if (end === null) continue;
    ranges.push({ start, end });
    start = end;
  }
  if (start < line.length) ranges.push({ start, end: line.length });
  return ranges;
}

/** How far around a mark its run of characters is read. */
const RUN_UNITS = 80;
/** Space before the next sentence, or a mark that needs none, such as `。`. */
const PARTS = /(?:[\s\u0085]|(?![.!?․﹒‼⁇⁈⁉])\p{Sentence_Terminal}[\p{Pe}\p{Pf}\p{Pi}"']*)$/u;
/** Emphasis, pictures and closing signs between a mark and the space after it. */
const BEHIND_MARK = new RegExp(
  String.raw`^(?:[*_~\p{Pe}\p{Pf}"'\p{Extended_Pictographic}\p{Emoji_Modifier}\u200D\uFE0F])+` +
    String.raw`(?:[\s\u0085]+|$)`,
  'u',
);
/** Prose without a space after its mark: `Great!Thanks`, `das ist toll!Und dann`, `¡Hola!¿Qué`. */
const PROSE_BEFORE = new RegExp(
  String.raw`(?:^[\s\p{Ps}\p{Pi}"'¿¡*_]*\p{Lu}|(?<![^\s\p{Ps}\p{Pi}"'¿¡*_])\p{Ll})` +
    String.raw`[\p{L}\p{M}'’-]*[!?]+[\p{Pe}\p{Pf}"']*$`,
  'u',
);
const PROSE_BEHIND =
  /^[\p{Ps}\p{Pi}"']*\p{Lu}[\p{L}\p{M}'’-]*(?=[.,!?;:…\p{Pe}\p{Pf}"']*(?:\s|$))/u;
/** Chinese and Japanese, often with the marks of a Western keyboard: `你好吗?我很好`. */
const UNSPACED = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]`;
const UNSPACED_BEFORE = new RegExp(
  String.raw`(?<![\p{L}\p{N}]:/\S*|[/=&@]\S*)${UNSPACED}[!?]+[\p{Pe}\p{Pf}"']*$`,
  'u',
);
const UNSPACED_BEHIND = new RegExp(String.raw`^[\p{Ps}\p{Pi}"']*${UNSPACED}`, 'u');

/**
 * Returns where a sentence ends whose mark is before this place; null if the mark is part of a word
 * such as a URL, a path, a password or code: `a.php?b=c`, `P!nk`, `x != y`.
 */
function endOfRun(line: string, start: number, marked: number): number | null {
  if (marked === line.length) return marked;
  const before = line.slice(Math.max(start, marked - RUN_UNITS), marked);
  if (PARTS.test(before)) return marked;
  const behind = line.slice(marked, marked + RUN_UNITS);
  const trailer = BEHIND_MARK.exec(behind)?.[0].length;
  if (trailer !== undefined) return marked + trailer;
  const isProse = /^[¿¡]/u.test(behind)
    ? /[!?.][\p{Pe}\p{Pf}"']*$/u.test(before)
    : (PROSE_BEFORE.test(before) && PROSE_BEHIND.test(behind)) ||
      (UNSPACED_BEFORE.test(before) && UNSPACED_BEHIND.test(behind));
  return isProse ? marked : null;
}

/** How much is read before and after a period; an abbreviation is shorter. */
const NEAR_UNITS = 20;
/** How far a list is looked for before a numbered abbreviation. */
const LINE_START_UNITS = 500;

/** The day of the last sentence, behind its period: `我搬到了杭州。 (as of 2026-11-02)`. */
const DAY_BEHIND = /^\((?:as of )?\d{4}-\d\d-\d\d\)\s*$/u;

/** Whether the sentence continues after the period at its end. */
function goesOn(line: string, start: number, end: number): boolean {
  const before = line.slice(Math.max(start, end - NEAR_UNITS), end);
  const behind = line.slice(end, end + NEAR_UNITS);
  if (line.charAt(end) === '(' && DAY_BEHIND.test(line.slice(end))) return true;
  if (!/\.\s*$/u.test(before)) return false;
  if (AMOUNT.test(before) && !OPENER.test(behind)) return true;
  if (HALF_OF_DAY.test(before) && ZONE_OR_DAY.test(behind)) return true;
  return ABBREVIATION.test(before) || isNumbered(line, before, end) || isCounted(before, behind);
}

/** Whether `no.` has a number, as in `room no. 5`, but not in a list: `1. Nothing, no. 2. Milk`. */
function isNumbered(line: string, before: string, end: number): boolean {
  const number = NUMBER.exec(line.slice(end, end + 20))?.[1];
  if (number === undefined || !BEFORE_NUMBER.test(before)) return false;
  return !line.slice(0, end).includes(`${String(Number(number) - 1)}. `);
}

/** Returns the ranges of JSON in a line, in which no sentence ends. */
function jsonRanges(line: string): readonly Range[] {
  const ranges: Range[] = [];
  if (/^\s*"[^"]*"\s*:/u.test(line)) return [{ start: 0, end: line.length }];
  const opening = /[[{]\s*(?:["{[]|$)/gu;
  for (let open = opening.exec(line); open !== null; open = opening.exec(line)) {
    const end = jsonEnd(line, open.index);
    ranges.push({ start: open.index, end });
    opening.lastIndex = end;
  }
  return ranges;
}

/** Returns the end of a value in brackets, or the end of the line if it is not closed. */
function jsonEnd(line: string, start: number): number {
  const token = /"(?:[^"\\]|\\.)*(?:"|$)|[[\]{}]/gu;
  token.lastIndex = start;
  let depth = 0;
  for (let found = token.exec(line); found !== null; found = token.exec(line)) {
    if (/^[[{]/u.test(found[0])) depth += 1;
    if (/^[\]}]/u.test(found[0])) depth -= 1;
    if (depth === 0) return token.lastIndex;
  }
  return line.length;
}

/** Whether a period only marks an ordinal number: `am 4. Juni`, `im 2. Stock`. */
function isCounted(before: string, behind: string): boolean {
  if (!/(?<![\d.,])\d{1,2}\.\s*$/u.test(before)) return false;
  const word = /^\p{L}+/u.exec(behind)?.[0] ?? '';
  return monthOf(word.toLowerCase()) !== undefined || ORDINAL.test(behind);
}

/** Returns the range without white space and joiners at its ends. */
function trimRange(text: string, range: Range): Range {
  let { start, end } = range;
  while (start < end && isSpace(text[start])) start += 1;
  while (end > start && isSpace(text[end - 1])) end -= 1;
  return { start, end };
}

function isSpace(character: string | undefined): boolean {
  return character !== undefined && /[\s\u2060]/u.test(character);
}

/** Where a clause may end, the strongest kind first. */
const CLAUSE_ENDS: readonly RegExp[] = [
  /[;；:：—–](?=\s|\p{Lo})|\s-(?=\s)|,(?=[[{])/gu,
  /[,，、](?=[\s"[{]|\p{Lo})/gu,
  /\s(?=(?:and|but|so|because|which|that|where|when|if|or|then)\s)/gu,
  /\s/gu,
];

interface Cutting {
  readonly text: string;
  /** Whether a range is short enough. */
  readonly fits: (range: Range) => boolean;
}

/**
 * Splits a range into parts that fit, at the strongest clause ends that suffice, each part as long
 * as possible. A part without a clause end is halved; a character that does not fit is left out.
 */
export function clauseRanges(cutting: Cutting, range: Range, level = 0): readonly Range[] {
  const whole = trimRange(cutting.text, range);
  if (whole.end <= whole.start) return [];
  if (cutting.fits(whole)) return [whole];
  const pattern = CLAUSE_ENDS[level];
  if (pattern === undefined) return halves(cutting, whole);
  const parts: Range[] = [];
  let open: Range | undefined;
  for (const chunk of chunksAt(cutting.text, whole, pattern)) {
    const wider = open === undefined ? chunk : { start: open.start, end: chunk.end };
    if (cutting.fits(wider)) {
      open = wider;
      continue;
    }
    if (open !== undefined) parts.push(open);
    open = cutting.fits(chunk) ? chunk : undefined;
    if (open === undefined) parts.push(...clauseRanges(cutting, chunk, level + 1));
  }
  if (open !== undefined) parts.push(open);
  return parts.map((part) => trimRange(cutting.text, part)).filter((part) => part.end > part.start);
}

function chunksAt(text: string, range: Range, pattern: RegExp): readonly Range[] {
  const chunks: Range[] = [];
  let start = range.start;
  for (const match of text.slice(range.start, range.end).matchAll(pattern)) {
    const end = range.start + match.index + match[0].length;
    if (end >= range.end) break;
    chunks.push({ start, end });
    start = end;
  }
  chunks.push({ start, end: range.end });
  return chunks;
}

function halves(cutting: Cutting, range: Range): readonly Range[] {
  let middle = Math.floor((range.start + range.end) / 2);
  // Does not split a surrogate pair.
  if (/[\uDC00-\uDFFF]/u.test(cutting.text.charAt(middle))) middle -= 1;
  if (middle <= range.start) return [];
  const level = CLAUSE_ENDS.length;
  return [
    ...clauseRanges(cutting, { start: range.start, end: middle }, level),
    ...clauseRanges(cutting, { start: middle, end: range.end }, level),
  ];
}
