/** Function words of several languages, by what they do in a sentence. */
import { wordSet } from '../text/word-lists.ts';

/** Articles and owners, which stand before a noun and after its preposition. */
export const ARTICLES = wordSet(`
  the a an my your his her its our their der die das den dem des ein eine einen einem einer
  el la los las un una su sus mi mis
`);

/** Words that join two things or clauses of which the same is said. */
export const ADDITIVE_CONJUNCTIONS = wordSet('and und y e 和 与 跟');

export const GERMAN_PREPOSITIONS = wordSet(`
  in an auf mit von aus bei nach zu vor für über unter um durch gegen ohne seit wegen zwischen
  hinter neben bis ab
`);
