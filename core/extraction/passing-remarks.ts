/** Detects words that do not last: questions, jokes, wishes, guesses and commissioned texts. */
import { isQuestion } from '../text/question.ts';
import type { Language } from '../text/language.ts';
import { oneOf } from '../text/pattern.ts';
import { likelyPatterns, RULE_BOOKS } from './rule-index.ts';

/** Whether a sentence is a question, a quotation or a joke. */
export function isQuestionQuoteOrJoke(sentence: string): boolean {
  return isQuestion(sentence) || isQuoteOrJoke(sentence);
}

/** Whether a sentence is a quotation or a joke. */
export function isQuoteOrJoke(sentence: string): boolean {
  return /^["'“„«「『]/u.test(sentence) || JOKED.test(sentence);
}

/** A wink or a laugh; `We got a puppy 🎉` and `Priya left 😢` are serious. */
const JOKED = /[😂🤣😆😅😄😁😜😝😛🤪😋😉🙃😏🙄😈🤥🤡😹🤭]|(?:;-?\)|[:;]-?[DP])(?!\p{L})/u;

/** A title without a verb, which shows that a text is a document: `Report on the roof.` */
const DOCUMENT = new RegExp(
  String.raw`^\s*(?:(?:(?:site|status|weekly|monthly|final|progress|incident|trip|project)\s)?` +
    String.raw`(?:report|minutes|memo|press release)|informe|acta|reporte|comunicado|` +
    String.raw`\p{L}*(?:bericht|protokoll)|pressemitteilung)` +
    String.raw`(?:\s(?:of|on|for|from|about|del?|sobre|para|über|zu[mr]?|vo[nm]|der|des)\s` +
    String.raw`[^.:!?\n]{1,60})?(?:\s*[.:]\s|\s*\n)|` +
    String.raw`^(?![^。：:\n]{0,12}[我写交做])[^。：:\n]{0,12}(?:报告|纪要|通报)[。：:\n]`,
  'iu',
);

/** A problem to solve, whose numbers are nobody's: `I have 5 apples and give 2 away. How many are left?` */
const PROBLEM = new RegExp(
  String.raw`(?<!\p{L})${oneOf(`
    gives?, eats?, loses?, sells?, shares?, throws?, breaks?, gebe?, gibt, verschenk(?:e|t), esse,
    isst, verlier(?:e|t), verkauf(?:e|t), regal[oa], doy, da, como, come, pierd[oe], vend[oe]
  `)} [^?]*(?<!\p{L})(?:how (?:many|much)(?!\p{L})[^?]*(?:left|remain)|` +
    String.raw`wie ?viele?(?!\p{L})[^?]*(?:übrig|noch|bleib)|cuánt[oa]s?(?!\p{L})[^?]*(?:qued|sobr))|` +
    '[给吃送丢卖].*[剩余][^？?]{0,4}[几多]',
  'iu',
);

/**
 * Whether a text is a document, sets a problem or asks for a text, and so says nothing about
 * anybody's life.
 */
export function isCommissioned(content: string, languages: readonly Language[]): boolean {
  return DOCUMENT.test(content) || PROBLEM.test(content) || requestIn(content, languages) !== null;
}

/** Returns where a text asks for a text to be written or changed; null if it does not. */
export function requestIn(content: string, languages: readonly Language[]): number | null {
  const likely = likelyPatterns(content);
  const places = languages
    .map((language) => RULE_BOOKS[language].commissioned)
    .flatMap((pattern) => (likely.has(pattern) ? (pattern.exec(content)?.index ?? []) : []));
  return places.length === 0 ? null : Math.min(...places);
}

/** Whether a sentence says nothing lasting: a wish, a guess, a joke, a report. */
export function isPassing(sentence: string, language: Language): boolean {
  const { notLasting, dayOfDeed } = RULE_BOOKS[language];
  return notLasting.test(sentence) && notLasting.test(sentence.replaceAll(dayOfDeed, ' '));
}

/**
 * Returns the serious clauses of a passing sentence: `haha sam says hi, the rent went up to 900`.
 * Returns none if the sentence is a guess or a wish, since that applies to all its clauses.
 */
export function standingClauses(sentence: string, language: Language): readonly string[] {
  const { aside, joint } = RULE_BOOKS[language];
  const others = sentence.replaceAll(aside, ' ');
  if (others === sentence || isPassing(others, language)) return [];
  return sentence
    .split(joint)
    .filter((clause) => clause.length < sentence.length && !isPassing(clause, language));
}
