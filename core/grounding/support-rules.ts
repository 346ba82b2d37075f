/**
 * The rules of grounding: a claim keeps its wording only if every rule finds its words, numbers,
 * names and modifiers in the sentences that it rests on (design 6.19). Short rules stand here, the
 * others in files of their own.
 *
 * Several rules keep what Ana did from becoming what Ben did: `words` if no source names Ben;
 * `attribution` (mixed-clauses.ts, other-actor.ts) and `parts` if Ben did something else; `roles`
 * if they only change places (exchanged-roles.ts), Ben asked Ana to do it, or a passive names Ana
 * (grammatical-subject.ts).
 */
import { localTime } from '../said-at.ts';
import type { Quantity } from '../text/quantity.ts';
import { sentenceRanges } from '../text/sentences.ts';
import type { CitedClaim, Evidence } from './cited-claim.ts';
import { isDerivedFrom } from './derived-numbers.ts';
import type { DropReason } from './drop-reason.ts';
import { unsupportedMeasure, type TimedMeasures } from './quantities-and-times.ts';
import { attributionDropReason } from './mixed-clauses.ts';
import { partsDiffer } from './parallel-parts.ts';
import { reportDiffers } from './reported-speech.ts';
import { rolesDiffer } from './exchanged-roles.ts';
import { foldedText, linedText, plainText } from './comparable-text.ts';
import { isStatedSpeaker } from './speaker.ts';
import { hasOtherSubject } from './grammatical-subject.ts';
import { negationDiffers, modalityDiffers } from './negation-modality.ts';
import { wordSet } from '../text/word-lists.ts';
import { COORDINATORS } from './sentence-parts.ts';

/** Identifiers, which have to match exactly. */
const ADDRESS = /https?:\/\/\S+/gu;
const MAIL = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/gu;
const TICKET = /(?<![\p{L}\p{N}])\p{Lu}{2,10}-\d{1,9}(?![\p{L}\p{N}])/gu;
const HASH = /(?<![\p{L}\p{N}])(?=\d{0,63}[a-f])[0-9a-f]{8,64}(?![\p{L}\p{N}])/gu;
const UNIQUE = /(?<![\p{L}\p{N}])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\p{L}\p{N}])/giu;
const PATH = /(?<![\p{L}\p{N}/.~])(?:~|\.{1,2})?(?:\/[\w.@+-]{1,128}){2,16}/gu;
const VERSION = /(?<![\p{L}\p{N}.])v?\d{1,5}(?:\.\d{1,5}){2,3}(?![\p{L}\p{N}]|\.\d)/gu;
const FLAG = /(?<![\p{L}\p{N}-])--[a-z][\w-]{1,64}/gu;
const KINDS = [ADDRESS, MAIL, TICKET, HASH, UNIQUE, PATH, VERSION, FLAG];

/** Returns every identifier of a text, without the punctuation after it. */
function identifiersOf(text: string): readonly string[] {
  const found = KINDS.flatMap((kind) => text.match(kind) ?? []);
  return found
    .map((id) => id.replace(/(?<![.,;:!?)\]"'’”>])[.,;:!?)\]"'’”>]+$/u, ''))
    .filter((id) => !/^\d{1,2}\.\d{1,2}\.\d{2,4}$/u.test(id));
}

/**
 * Whether the text has the identifier as a whole word: `joann@x.com` does not contain `ann@x.co`.
 */
function standsIn(text: string, id: string): boolean {
  const continued = /@|\/|\.\d/u.test(id) ? /^(?:\w|[./?#=&%-]\w)/u : /^\w/u;
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
    const before = text.slice(Math.max(0, at - 1), at);
    if (!/\w/u.test(before) && !continued.test(text.slice(at + id.length, at + id.length + 2))) {
      return true;
    }
  }
  return false;
}

type Rule = (judged: CitedClaim) => DropReason | null;

/** The rules by name, in the order in which they apply; the ablation runs each alone. */
const RULES = {
  quotation: unquoted,
  speaker: unspoken,
  identifier: unidentified,
  measure: unmeasured,
  words: unknownWords,
  negation: negationDiffers,
  modality: modalityDiffers,
  attribution: attributionDropReason,
  roles: misplaced,
  parts: partsDiffer,
  report: reportDiffers,
  fragment: fragmentReason,
} as const satisfies Readonly<Record<string, Rule>>;
export type RuleName = keyof typeof RULES;
export const RULE_NAMES = Object.keys(RULES).filter((name): name is RuleName => name in RULES);

/** Returns why a claim loses its wording, or null if it keeps it. */
export function unsupportedReason(
  judged: CitedClaim,
  rules: readonly RuleName[] = RULE_NAMES,
): DropReason | null {
  const surest: readonly RuleName[] = rules.filter((name) => FIRST.has(name));
  for (const name of surest) {
    const reason = RULES[name](judged);
    if (reason !== null) return reason;
  }
  if (isVerbatim(judged.said, judged.cited)) return null;
  const others = rules.filter((name) => !FIRST.has(name));
  const isKept = (name: RuleName): boolean => RULES[name](judged) === null;
  const isCut = isShortened(judged) && unmeasured(judged) === null;
  if (isCut && others.every((name) => !CUT.has(name) || isKept(name))) return null;
  for (const name of others) {
    const reason = RULES[name](judged);
    if (reason !== null) return reason;
  }
  return null;
}

/** Reasons that depend on wording; the rules are sure of names, numbers, negations and actors. */
const DOUBTS: ReadonlySet<DropReason> = new Set(['NotInSource', 'ModalityDiffers']);

/** Whether every rule that objects to a claim may be wrong about it. */
export function isDoubtful(judged: CitedClaim): boolean {
  return RULE_NAMES.every((name) => {
    const reason = RULES[name](judged);
    return reason === null || (name !== 'fragment' && DOUBTS.has(reason));
  });
}

/** Rules that also apply to verbatim words. */
const FIRST: ReadonlySet<RuleName> = new Set(['quotation', 'speaker']);

/** Rules that also apply to a quote from which words are left out. */
const CUT: ReadonlySet<RuleName> = new Set(['negation', 'modality', 'parts', 'report', 'fragment']);

/** Maximum characters of punctuation and spaces between two sentences. */
const EDGE_CHARS = 8;

/** Whether a claim consists of whole sentences of a source; works in any language. */
function isVerbatim(said: string, cited: readonly Evidence[]): boolean {
  if (isWholeSentence(said, cited)) return true;
  const sentences = sentenceRanges(said).map(({ start, end }) => said.slice(start, end));
  return sentences.length > 1 && sentences.every((each) => isWholeSentence(each, cited));
}

function isWholeSentence(said: string, cited: readonly Evidence[]): boolean {
  const fact = linedText(said).replace(/(?<![\s.!?…。！？])[\s.!?…。！？]+$/u, '');
  if (fact === '') return false;
  const isQuestion = /[?？]\s*$/u.test(said);
  return cited.some(({ lined }) => {
    const text = `\n${lined}\n`;
    for (let at = text.indexOf(fact); at >= 0; at = text.indexOf(fact, at + 1)) {
      const end = at + fact.length;
      const opens = /[.!?…。！？\n][\s"')\]]*$/u.test(text.slice(Math.max(0, at - EDGE_CHARS), at));
      const rest = text.slice(end, end + EDGE_CHARS);
      const closes = /^["')\]]*[.!?…。！？\n]/u.test(rest);
      if (opens && closes && (isQuestion || !/^["')\]]*[?？]/u.test(rest))) return true;
    }
    return false;
  });
}

/** Minimum share of a sentence's words that is left when only fillers are left out. */
const SHORTENED_SHARE_MIN = 0.6;

/** Whether a claim has its quote's words in order and leaves out no modifier, name or number. */
function isShortened({ claim, quoted, language }: CitedClaim): boolean {
  const stated = quoted.flatMap(({ sentence }) => sentence.words);
  const own = claim.words;
  if (language === 'zh' || own.length < stated.length * SHORTENED_SHARE_MIN) return false;
  let at = 0;
  for (const word of stated) {
    if (word.lower === own[at]?.lower) at += 1;
    else if (word.kind === 'Modifier' || word.kind === 'Value' || word.isName) return false;
  }
  return own.length > 0 && at === own.length;
}

function unquoted({ said, cited }: CitedClaim): DropReason | null {
  const texts = cited.map(({ folded }) => folded);
  const isHeld = innerQuotes(said).every((quote) => isInnerQuoted(quote, texts));
  return isHeld ? null : 'QuoteNotInSource';
}

function unspoken({ fact, cited, prefix }: CitedClaim): DropReason | null {
  const stated = [
    ...(fact.speaker == null ? [] : [fact.speaker]),
    ...(prefix === null ? [] : [prefix]),
  ];
  const quote = foldedText(fact.quote ?? '');
  const isThere = isQuoteIn(
    quote,
    cited.map(({ folded }) => folded),
  );
  const holding = cited.filter(({ folded }) => !isThere || folded.includes(quote));
  const speakers = holding.map(({ speaker }) => speaker);
  const text = holding.map(({ folded }) => folded).join('\n');
  return stated.every((name) => isStatedSpeaker(name, speakers, text))
    ? null
    : 'SpeakerNotInSource';
}

function unidentified({ said, cited }: CitedClaim): DropReason | null {
  const text = cited.map(({ folded }) => folded).join('\n');
  const isNamed = identifiersOf(plainText(said)).every((id) => standsIn(text, foldedText(id)));
  return isNamed ? null : 'IdentifierNotInSource';
}

function misplaced(judged: CitedClaim): DropReason | null {
  return rolesDiffer(judged) ?? (hasOtherSubject(judged) ? 'RolesDiffer' : null);
}

/** Looks for numbers and days in the sentences that the claim rests on, then in those around. */
function unmeasured({ fact, claim, cited, cover }: CitedClaim): DropReason | null {
  const { derived } = fact;
  const timed = (evidence: Evidence, only: boolean): TimedMeasures[] =>
    evidence.places
      .map(({ sentence }) => sentence)
      .filter((each) => !only || cover.places.some(({ sentence }) => sentence === each))
      .map((sentence) => sentence.measures)
      .concat(evidence.named)
      .map((measures) => ({ measures, at: localTime(evidence.source) }));
  const near = cited.flatMap((evidence) => timed(evidence, derived == null));
  const operands = cited
    .filter(({ source }) => derived?.ids.includes(source.id))
    .map(({ measures, source }) => ({ measures, at: localTime(source) }));
  let isComputed = false;
  const isComputable = (quantity: Quantity): boolean => {
    if (derived == null || !isDerivedFrom(quantity, derived.operation, operands)) return false;
    isComputed = true;
    return true;
  };
  let failure = unsupportedMeasure(claim.measures, near, isComputable);
  if (failure !== null && !isCompeting(failure, near)) {
    const around = cited.flatMap((evidence) => timed(evidence, false));
    failure = unsupportedMeasure(claim.measures, around, isComputable);
  }
  if (failure === null) return null;
  return derived != null && !isComputed ? 'DerivationDiffers' : failure;
}

/** Whether the sentences that the claim rests on have another day or number of their own. */
function isCompeting(failure: DropReason, near: readonly TimedMeasures[]): boolean {
  return near.some(({ measures: { days, times, quantities } }) =>
    failure === 'DateNotInSource'
      ? days.some(({ doubtful }) => !doubtful) || times.length > 0
      : quantities.length > 0,
  );
}

/** Shorter quotations are titles and single words, which are not checked. */
const QUOTE_WORDS_MIN = 3;

/** Returns the quotations in a fact, split where an ellipsis leaves words out. */
function innerQuotes(text: string): readonly string[] {
  const found = plainText(text).match(/"[^"]{4,2000}"/gu) ?? [];
  return found
    .flatMap((quote) => quote.slice(1, -1).split(/\[?(?:\.\.\.|…)\]?/u))
    .map((part) => foldedText(part).replace(/[.,;:!?]+$/u, ''))
    .filter((part) => part.split(' ').length >= QUOTE_WORDS_MIN);
}

/** Whether a text has all words of a quotation in order: it may leave out words, but add none. */
function isInnerQuoted(quote: string, folded: readonly string[]): boolean {
  const words = quote.match(/[\p{L}\p{N}]+/gu) ?? [];
  return folded.some((text) => {
    let at = -1;
    return words.every((word) => (at = text.indexOf(word, at + 1)) >= 0);
  });
}

/** Whether one text contains the whole quote; words of two sources make no quote. */
function isQuoteIn(quote: string, folded: readonly string[]): boolean {
  return folded.some((text) => text.includes(quote));
}

/** Words that may accompany a derived number. */
const DERIVED_WORDS = new Set(
  `average mean sum total altogether difference more less fewer most least than maximum
    minimum`.split(/\s+/u),
);

/** Verbs of beginning: what has held since a day began on that day. */
const BEGUN = wordSet('start started began begun begann begonnen angefangen empezó comenzó');

/** Returns the drop reason for words or names that no source has; null if there are none. */
function unknownWords({ fact, claim, cover }: CitedClaim): DropReason | null {
  const isLasting = cover.places.some(({ sentence }) =>
    sentence.tokens.some(({ lower }) => /^(?:since|seit|desde)$/u.test(lower)),
  );
  const says = claim.words.some(({ kind }) => kind === 'Content' || kind === 'Value');
  if (!says) return 'NotInSource';
  const unknown = cover.unknown.filter(
    ({ lower }) => fact.derived == null || !DERIVED_WORDS.has(lower),
  );
  if (unknown.every(({ lower }) => isLasting && BEGUN.has(lower))) return null;
  return unknown.some(({ isName }) => isName) ? 'NameNotInSource' : 'NotInSource';
}

/** Words that stand beside a thing without stating anything of it. */
const BESIDE =
  wordSet(`the a an my your his her its our their this that and with of in on at for from to by
  der die das den dem des ein eine einen einem einer mein meine sein seine ihr ihre unser unsere und
  mit von in im am auf bei für aus zu el la los las un una su sus mi mis y e de del con en para a
  的 和 与 只 个 名 位 条 件 辆 家 在`);
/** Characters of a Chinese claim that is too short for a statement. */
const HAN_NAME = /^\p{Script=Han}{1,2}$/u;

/** Words for none of something, as in `no meat`. */
const NONE = /^(?:no|kein\p{L}*|ning\p{L}+)$/u;

/** Returns the reason to drop a fragment without a verb, such as `Dana.` or `two cats`. */
function fragmentReason({ claim, language }: CitedClaim): DropReason | null {
  const { words, lower } = claim;
  const things = words.filter(({ kind }) => kind === 'Content');
  const [thing, second] = things;
  const isName = HAN_NAME.test(lower.replaceAll(/[^\p{L}\p{N}]/gu, ''));
  if (isName) return 'NotInSource';
  // `Olga and Riga`; in Spanish, the first word of `Vivo en Lyon` is a verb.
  const areNames =
    language !== 'de' &&
    words.some(({ lower: own }) => COORDINATORS.has(own)) &&
    things.every(({ text }) => /^\p{Lu}/u.test(text));
  if (second !== undefined && !areNames) return null;
  // `Two cats`, but not `on Tuesday works`.
  const isDated = claim.measures.days.length + claim.measures.times.length > 0;
  const isNoun =
    language !== 'zh' && !isDated && (thing === undefined || /^\p{Lu}|s$/u.test(thing.text));
  const isBare = words.every(({ kind, lower: own }) => {
    if (kind === 'Free') return BESIDE.has(own);
    return kind === 'Content' || (isNoun && (kind === 'Value' || NONE.test(own)));
  });
  const isLast = thing === undefined || things.at(-1) === words.at(-1);
  return isBare && isLast ? 'NotInSource' : null;
}
