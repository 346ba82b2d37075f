/**
 * Tells how a sentence of a short conversation refers to what was said right before it: it takes it
 * back, agrees to it, or asks about one thing, which the next sentence is about. In English,
 * German, Spanish and Chinese.
 */
import { isQuestion } from '#core/text/question.ts';
import { oneOf, WORD_END, WORD_START } from '#core/text/pattern.ts';

/** A question that only names a thing: `What about Ghent?`, `Und Gent?`, `根特呢？` */
const ASKS_ABOUT = new RegExp(
  String.raw`^(?<lead>(?:\p{L}{1,5}[,.…]* ){0,2}?)¿?${oneOf(`
    (?:what|how) about, (?:und )?was ist mit, und, wie wäre es mit, wie wär['’]?s mit, y, qué tal,
    qué hay de, qué pasa con, qué os parece, qué te parece
  `)} (?:[\p{L}\p{N}'’.-]+ ){0,3}[\p{L}\p{N}'’.-]+ ?\?\s*$|` +
    String.raw`^[^，。？?]{1,12}(?:呢|怎么样|如何|行不行|好不好)[?？]\s*$`,
  'iu',
);

/**
 * Returns whether a sentence asks, at once or after words such as "Hmm", what others think of one
 * thing, which the next sentence is about; null if not.
 */
export function asksAbout(said: string): 'AtOnce' | 'AfterWords' | null {
  const found = ASKS_ABOUT.exec(said);
  if (found === null) return null;
  return (found.groups?.['lead'] ?? '') === '' ? 'AtOnce' : 'AfterWords';
}

/** Words that take back what was said before. */
const TAKES_BACK = new RegExp(
  String.raw`^\P{L}*(?:${oneOf(String.raw`
    scratch that, strike that, forget (?:it|that|about that|what i said), never ?mind(?: that)?,
    on second thoughts?, (?:i|we)(?:['’]ve| have)? changed (?:my|our) minds?, change of plans?,
    (?:no\u002c? wait|wait\u002c? no|actually\u002c? no|hold on\u002c? no)(?:\u002c? actually)?,
    vergiss (?:das|es), vergesst (?:das|es), streich(?:t|en wir)? das, kommando zurück,
    (?:moment|warte|halt|stopp|nein|nee|ach nein|ach nee)\u002c? (?:wir nehmen )?(?:doch|lieber),
    (?:dann )?(?:doch lieber|lieber doch), planänderung, anders überlegt,
    (?:ich|wir) (?:habe?n?|hab['’]?s?) (?:es )?(?:mir|uns) (?:es )?anders überlegt,
    olvíd(?:alo|ate|enlo|ese)(?: de eso)?, olvidadlo, olvida eso, borra eso,
    (?:espera|no|nada|bueno)\u002c? mejor, mejor no, pensándolo (?:mejor|bien), cambio de planes,
    (?:he cambiado|hemos cambiado|cambié|cambiamos) de (?:idea|opinión|plan)
  `)})(?!\p{L})|` +
    '^(?:算了|不对|等等|等一下|划掉|(?:我|我们)?改主意了?|(?:我|我们)?再?想了想)[，,。:：]?',
  'iu',
);
/** Words that put something else in its place. */
const INSTEAD = new RegExp(
  String.raw`${WORD_START}(?:${oneOf(String.raw`
    (?:is|are|will be) enough, better, instead, rather, let['’]s, (?:go|stick|stay) with, use,
    take, keep, choose, pick,
    (?:we|i)(?:['’]ll| will)? (?:go|meet|do|stay|stick), make it, lieber, doch,
    nehmen, nimm, reicht, genügt, bleiben, besser, stattdessen, mejor, basta,
    usa(?:mos|r|remos)?, cogemos, tomamos, elegimos, nos quedamos, vamos con, en vez,
    en su lugar, alcanza
  `)})${WORD_END}|还是|改|用|选|就|够|换|更好`,
  'iu',
);
/** A rest of so few words is what comes in its place: `Scratch that: Postgres.` */
const INSTEAD_WORDS_MAX = 3;

/** Whether a sentence takes back what was said before, and says what holds instead. */
export function saysInstead(said: string): boolean {
  const found = TAKES_BACK.exec(said);
  if (found === null || isQuestion(said)) return false;
  const rest = said.slice(found[0].length).trim();
  const words = rest.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0) return false;
  const isBare = words.length <= INSTEAD_WORDS_MAX && !/\p{Script=Han}/u.test(rest);
  return isBare || INSTEAD.test(rest) || /(?:lieber|doch|mejor)$/iu.test(found[0]);
}

/** Words that agree to what was said. */
const ACKNOWLEDGES = new RegExp(
  String.raw`^\P{L}*(?:${oneOf(`
    ok(?:ay)?, good, great, fine, sure, noted, perfect, got it, will do, gut, klar, alles klar,
    super, prima, notiert, mach(?:e)? ich, vale, bien, perfecto, claro, anotado, de acuerdo
  `)})(?!\p{L})|^(?:好|行|收到|明白|没问题)`,
  'iu',
);

/** Whether a sentence only agrees to what was said before: `Good, I will set it up.` */
export function acknowledges(said: string): boolean {
  return ACKNOWLEDGES.test(said);
}
