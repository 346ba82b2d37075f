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
    String.raw`^(?:(?:short |my )?essay|debate prep|aufsatz|redacci[oó]n|composici[oó]n|` +
    String.raw`ensayo|作文)\s*[:：]|` +
    String.raw`^(?![^。：:\n]{0,12}[我写交做])[^。：:\n]{0,12}(?:报告|纪要|通报)[。：:\n]`,
  'iu',
);

const SHAPES =
  'rectangle, square, triangle, circle, rechteck, quadrat, dreieck, kreis, ' +
  'rectángulo, cuadrado, triángulo';

/**
 * A problem to solve, whose numbers are nobody's: `I have 5 apples and give 2 away. How many are
 * left?`
 */
const PROBLEM = new RegExp(
  String.raw`(?<!\p{L})${oneOf(`
    gives?, eats?, loses?, sells?, shares?, throws?, breaks?, gebe?, gibt, verschenk(?:e|t), esse,
    isst, verlier(?:e|t), verkauf(?:e|t), regal[oa], doy, da, como, come, pierd[oe], vend[oe],
    se rompen?
  `)} [^?]*(?<!\p{L})(?:how (?:many|much)(?!\p{L})[^?]*(?:left|remain)|` +
    String.raw`wie ?viele?(?!\p{L})[^?]*(?:übrig|noch|bleib)|cuánt[oa]s?(?!\p{L})[^?]*(?:qued|` +
    String.raw`sobr))|` +
    String.raw`how many(?: \p{L}+)? (?:does \p{L}+ have|do (?:we|they) have (?:together|` +
    String.raw`altogether|in (?:total|all)))(?!\p{L})|` +
    String.raw`(?<!\p{L})(?:have an?|habe ein|tengo un) ${oneOf(SHAPES)}|` +
    '[给吃送丢卖拿].*[剩余][^？?]{0,4}[几多]|平均分给?|有一?个(?:长方|正方|三角)形',
  'iu',
);

/** A part to play: `You're the waiter, I'm the guest`. */
const ROLE = new RegExp(
  String.raw`(?<!\p{L})(?:you(?:['’]re| are) (?:the|an?)|du bist (?:der|die|eine?)|` +
    String.raw`(?:tú eres|vos sos|eres|sos) (?:el|la|una?)) [^.!?]{1,40}(?<!\p{L})` +
    String.raw`(?:I(?:['’]m| am) (?:the|an?)|ich bin (?:der|die|eine?)|yo soy)(?!\p{L})|` +
    String.raw`你(?:扮演|当|演)[^。]{1,10}我(?:扮演|当|演)|` +
    String.raw`^(?:let['’]s practi[cs]e|lass uns üben|vamos a practicar)(?!\p{L})|^我们来练习`,
  'iu',
);

/**
 * Whether a text is a document, sets a problem, hands out parts to play or asks for a text, and so
 * says nothing about anybody's life.
 */
export function isCommissioned(content: string, languages: readonly Language[]): boolean {
  const isNobodys = DOCUMENT.test(content) || PROBLEM.test(content) || ROLE.test(content);
  return isNobodys || requestIn(content, languages) !== null;
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
