/** Candidates: sentences, or clauses of over-long ones, cleaned and ready to be a fact. */
import { oneOf } from '#core/text/pattern.ts';
import { cleanSpeech, cleanWritten, outsideCode } from './clean-wording.ts';
import { CODE_SPAN } from './mask-markup.ts';
import { clauseRanges, type Range, sentenceRanges } from '#core/text/sentences.ts';
import { ENGLISH_MARKERS } from '#core/text/stop-words.ts';
import { quotedLine } from '#core/text/quoted-line.ts';
import { isForwardedTurn, posesAsAnother, type Turn } from './speaker-turns.ts';
import { cannotStandAlone, isAnswer, dependsOnPrevious } from '#core/text/dependent-sentence.ts';
import { contentStems, plainWords } from '#core/text/words.ts';
import { asksAbout } from './refers-back.ts';
import { statementKind } from './statement-kind.ts';

export interface Candidate {
  readonly turnIndex: number;
  /** Id of the long turn that contains it; null otherwise. */
  readonly longTurn: string | null;
  /** Its position in the turn's masked text. */
  readonly range: Range;
  /** Place among all candidates, in source order. */
  readonly order: number;
  /** The cleaned sentence, after "Speaker: " where several speak. */
  readonly text: string;
  /** Distinct stems of its content words outside code. */
  readonly stems: readonly string[];
  /** The sentence of the same turn that it cannot be understood without. */
  readonly restsOn: Range | null;
  /** Its first words refer to something said before, which is not part of it. */
  readonly dangling: boolean;
  /** Part of a sentence that was too long, or a sentence that breaks off. */
  readonly broken: boolean;
  /** Single letters that a transcriber left of abandoned words. */
  readonly scraps: number;
  /** Orders of newer candidates that may end it, so that it must not be without them. */
  readonly newer: readonly number[];
  /** Whether one of them likely does. */
  readonly isLikelyEnded: boolean;
}

interface CandidateOptions {
  readonly countTokens: (text: string) => number;
  readonly maxSentenceTokens: number;
  readonly stem: (word: string) => string;
}

/** Openers that refer back. "This project" and "that day" do not: they name what they mean. */
const POINTERS_BACK = String.raw`
  er, sie, es, il, elle, ils, elles, él, ella, ele, ela, it, he, she, they, them, him, his, her,
  hers, their, theirs, its, those, these, that, this, which, who, whose, either, neither, both,
  same, such, so that, or, than, not, of, as, if so, otherwise, therefore, thus, hence, however,
  then, the (?:latter|former|other|same), in that case
`;
const DANGLING = new RegExp(String.raw`^${oneOf(POINTERS_BACK)}(?![\p{L}\p{N}-])`, 'iu');
const UNNAMING = String.raw`
  is, was, are, were, will, would, can, could, should, may, might, must, does, did, do, has,
  have, had, just, really, one, way, thing, stuff, kind, sort, means, makes, and, or, but, i,
  you, we, they, he, she, it, also, all
`;
const DETERMINERS = 'this, that, these, those, such, both, either, neither, his, her, their, its';
const NAMING = new RegExp(
  String.raw`^${oneOf(DETERMINERS)} (?!${oneOf(UNNAMING)}(?!\p{L}))\p{L}`,
  'iu',
);

/** The same openers in scripts without spaces, and in Korean. */
const DANGLING_UNSPACED =
  /^(?:他|她|它|这|那(?!么?就)|彼は|彼女は|それは|これは|그는|그녀는|그것은)/u;

/** Words that need another word after them, so a sentence must not end in one. */
const OPEN_WORDS = String.raw`
  the, a, an, and, or, but, of, to, in, on, at, for, with, from, by, that, which, if, so,
  because, is, are, was, were, be, my, our, your, their, its, this, these, as, than, like, kind
  of, sort of, would, could, should, i, we, you, they
`;
const OPEN_END = new RegExp(String.raw`(?<![\p{L}'’-])${oneOf(OPEN_WORDS)}$`, 'iu');

/** A text counts as English above this share of words that are frequent only in English. */
const ENGLISH_SHARE_MIN = 0.08;
const ENGLISH_SAMPLE_TURNS = 400;
const ENGLISH_SAMPLE_CHARS = 1000;

/** In a conversation of fewer turns, what follows `What about Ghent?` is told only with it. */
const BRIEF_TURNS_MAX = 50;

/** Returns every candidate of every turn, in source order. */
export function listCandidates(
  turns: readonly Turn[],
  options: CandidateOptions,
): readonly Candidate[] {
  const english = isEnglish(turns);
  const isBrief = turns.length < BRIEF_TURNS_MAX;
  const speakers = new Set(turns.map(({ speaker }) => speaker.toLowerCase()));
  const candidates: Candidate[] = [];
  for (const [turnIndex, turn] of turns.entries()) {
    const render = renderer(turn, english);
    const fits: Fits = (range, share) => isShort(render(range), share, options);
    for (const draft of turnDrafts(turn, fits, isBrief)) {
      const plain = render(draft.range);
      const said = plain.slice(turn.prefix.length);
      if (said === '') continue;
      const isQuoted = isForwardedTurn(turn) || posesAsAnother(said, turn, speakers);
      const text = isQuoted ? quotedLine(turn.speaker, said) : plain;
      candidates.push({
        turnIndex,
        longTurn: turn.longTurn,
        range: draft.range,
        order: candidates.length,
        text,
        stems: [...new Set(contentStems(said.replace(CODE_SPAN, ' '), options.stem))],
        restsOn: draft.restsOn,
        dangling: draft.restsOn === null && pointsBack(said),
        broken: draft.cut || isBroken(turn, draft.range),
        scraps: turn.kind === 'Spoken' ? (said.match(SCRAP) ?? []).length : 0,
        newer: [],
        isLikelyEnded: false,
      });
    }
  }
  return candidates;
}

/**
 * Returns candidates that rest on a sentence which no earlier candidate contains, and those without
 * a newer one that may end them.
 */
export function tornOnes(chosen: readonly Candidate[]): ReadonlySet<number> {
  const torn = new Set<number>();
  const orders = new Set(chosen.map(({ order }) => order));
  for (const [at, candidate] of chosen.entries()) {
    const { order, turnIndex, restsOn, newer } = candidate;
    if (newer.length > 0 && !newer.some((each) => orders.has(each))) torn.add(order);
    if (restsOn === null) continue;
    const isThere = chosen
      .slice(0, at)
      .some((each) => each.turnIndex === turnIndex && !torn.has(each.order) && has(each, restsOn));
    if (!isThere) torn.add(order);
  }
  return torn;
}

function has({ range }: Candidate, { start, end }: Range): boolean {
  return range.start <= start && range.end >= end;
}

/** Cleaned text of a range after the turn's prefix; each range is cleaned once. */
function renderer(turn: Turn, english: boolean): (range: Range) => string {
  const known = new Map<string, string>();
  const speech = { english, typed: turn.kind === 'Typed' };
  return (range) => {
    const key = `${range.start} ${range.end}`;
    const seen = known.get(key);
    if (seen !== undefined) return seen;
    const stretch = turn.masked.slice(range.start, range.end);
    const said = outsideCode(stretch, (prose) =>
      turn.kind === 'Written' ? cleanWritten(prose) : cleanSpeech(prose, speech),
    );
    const text = said === '' ? '' : turn.prefix + said;
    known.set(key, text);
    return text;
  };
}

const ASCII = /^[\p{ASCII}]*$/u;

/** Whether the text of a range takes at most a share of the tokens a fact may have. */
type Fits = (range: Range, share: number) => boolean;

function isShort(text: string, share: number, options: CandidateOptions): boolean {
  const limit = options.maxSentenceTokens * share;
  // A token is at least a byte of UTF-8, and a UTF-16 unit at most three of those.
  if (text.length * (ASCII.test(text) ? 1 : 3) < limit) return true;
  return options.countTokens(`${text}.`) <= limit;
}

interface Draft {
  readonly range: Range;
  readonly cut: boolean;
  readonly restsOn: Range | null;
}

/** A written pair of sentences within this share of a fact's cap is offered only as a pair. */
const GLUED_SHARE = 0.7;

/** Sentences of a turn. One that refers back is added again with the sentence before it. */
function turnDrafts(turn: Turn, fits: Fits, isBrief: boolean): readonly Draft[] {
  const drafts: Draft[] = [];
  /** The previous sentence, and the row of sentences that it belongs to. */
  let before: { readonly sentence: Range; readonly row: Range } | undefined;
  // No sentence and no clause ends inside code.
  const text = turn.masked.replace(CODE_SPAN, (code) => 'x'.repeat(code.length));
  for (const sentence of sentenceRanges(text)) {
    const clauses = clauseRanges({ text, fits: (range) => fits(range, 1) }, sentence);
    const parts = clauses.filter((range) => !cutsCode(turn, range));
    const cut = clauses.length > 1;
    const said = edge(turn, { ...sentence, end: sentence.start + EDGE_CHARS });
    const rests = before !== undefined && turn.kind !== 'Spoken' && dependsOnPrevious(said);
    const asked =
      isBrief && before !== undefined ? questionBefore(turn, before.sentence, sentence) : null;
    const back = rests || asked !== null || pointsBack(said);
    const pair =
      back && asked !== 'AfterWords' && !cut && before !== undefined
        ? pairOf(turn, before.row, sentence)
        : null;
    const row = pair !== null && fits(pair, 1) ? pair : null;
    const alone = rests && cannotStandAlone(said) ? (before?.sentence ?? null) : null;
    const restsOn = asked === null ? alone : (before?.sentence ?? null);
    const isGlued = row !== null && turn.kind !== 'Spoken' && fits(row, GLUED_SHARE);
    if (isGlued) drafts.pop();
    else drafts.push(...parts.map((range) => ({ range, cut, restsOn })));
    if (row !== null) drafts.push({ range: row, cut: false, restsOn: null });
    // A sentence that rests on this one also rests on the sentences before it.
    const start = rests ? (before?.row.start ?? sentence.start) : sentence.start;
    const isEnd = turn.kind === 'Spoken' && (cut || back);
    before = isEnd ? undefined : { sentence, row: { ...sentence, start } };
  }
  return drafts;
}

/**
 * Returns how the sentence before names what a statement is about: `What about Ghent?` Behind
 * "Hmm", it is no sentence of the source, so that the pair would lose its speaker.
 */
function questionBefore(
  turn: Turn,
  before: Range,
  sentence: Range,
): 'AtOnce' | 'AfterWords' | null {
  if (turn.kind === 'Written' || statementKind(edge(turn, sentence)) !== 'Other') return null;
  return asksAbout(turn.masked.slice(before.start, before.end));
}

function cutsCode({ masked }: Turn, { start, end }: Range): boolean {
  return masked.slice(start, end).replace(CODE_SPAN, '').includes('`');
}

/** Longer rows of sentences are too long for a fact, and are not considered. */
const ROW_CHARS_MAX = 1_000;

/** Both sentences as one range, if they are in one block. */
function pairOf(turn: Turn, before: Range, sentence: Range): Range | null {
  const pair = { start: before.start, end: sentence.end };
  if (pair.end - pair.start > ROW_CHARS_MAX) return null;
  return turn.masked.slice(pair.start, pair.end).includes('\n') ? null : pair;
}

function pointsBack(said: string): boolean {
  if (DANGLING_UNSPACED.test(said) || isAnswer(said)) return true;
  return DANGLING.test(said) && !NAMING.test(said);
}

function isBroken(turn: Turn, range: Range): boolean {
  const start = Math.max(range.start, range.end - EDGE_CHARS);
  const end = edge(turn, { start, end: range.end });
  if (/[:：]$/u.test(end)) return true;
  if (turn.kind !== 'Spoken' || /[.?!。！？…"'”’)]$/u.test(end)) return false;
  return OPEN_END.test(end.replace(/[\s,;–-]+$/u, '')) || range.end - start >= EDGE_CHARS;
}

/** Cleans a few characters at an end of a sentence, enough to see how it begins or ends. */
function edge(turn: Turn, range: Range): string {
  return cleanWritten(turn.masked.slice(range.start, range.end));
}

const SCRAP = /(?<![\p{L}\p{N}'’._-])[b-hj-z](?![\p{L}\p{N}'’._-])/gu;

/** Characters read at either end. A spoken sentence this long without a final mark broke off. */
const EDGE_CHARS = 60;

/** Whether the rules for English speech apply to these turns. */
function isEnglish(turns: readonly Turn[]): boolean {
  const step = Math.max(1, Math.floor(turns.length / ENGLISH_SAMPLE_TURNS));
  const words = turns
    .filter((_, index) => index % step === 0)
    .flatMap((turn) => plainWords(turn.masked.slice(0, ENGLISH_SAMPLE_CHARS)));
  const markers = words.filter((word) => ENGLISH_MARKERS.has(word)).length;
  return markers > 0 && markers >= words.length * ENGLISH_SHARE_MIN;
}
