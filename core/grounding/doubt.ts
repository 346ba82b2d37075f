/**
 * Doubts: claims that the rules find supported only in part, because of words alone. A verifier
 * that reads better than rules may confirm a doubt; the claim then keeps its wording.
 */
import type { Source } from '../sources/source.ts';
import type { CitedClaim } from './cited-claim.ts';
import type { Language } from '../text/language.ts';
import { wordSet } from '../text/word-lists.ts';
import { SURNAMES } from '../text/chinese-surnames.ts';
import type { Sentence, Word } from './parsed-sentence.ts';

export interface Doubt {
  readonly claim: string;
  /** From each cited source: the sentences that the claim rests on, and those around them. */
  readonly evidence: readonly Source[];
}

/** Returns whether a claim that the rules doubt keeps its wording. */
export type Confirms = (doubt: Doubt) => boolean;

/** Maximum characters of claim and evidence; on longer ones, the rules decide. */
const EVIDENCE_CHARS_MAX = 2_000;
/** Sentences to show before and after: they say who `she` is. */
const AROUND = 1;

/** Returns null if there is no evidence or too much, or if no source has a name of the claim. */
export function doubtOf({ fact, claim, cited, cover, quoted, language }: CitedClaim): Doubt | null {
  if (cover.unknown.some((word) => isMaybeName(word, claim, language))) return null;
  const found = new Set([...cover.places, ...quoted].map(({ sentence }) => sentence));
  const evidence = cited.flatMap(({ source, places }, at): Source[] => {
    const near = places.filter((_, from) =>
      places
        .slice(Math.max(0, from - AROUND), from + AROUND + 1)
        .some(({ sentence }) => found.has(sentence)),
    );
    if (near.length === 0) return [];
    const text = near.map(({ sentence }) => sentence.raw.trim()).join(' ');
    return [{ ...source, id: `e${String(at)}`, text }];
  });
  const chars = evidence.reduce((sum, { text }) => sum + text.length, fact.text.length);
  if (evidence.length === 0 || chars > EVIDENCE_CHARS_MAX) return null;
  return { claim: fact.text, evidence };
}

/** Returns the doubts of a judgment, which runs once with nothing confirmed. */
export function doubtsOf(judge: (confirms: Confirms) => unknown): readonly Doubt[] {
  const doubts: Doubt[] = [];
  judge((doubt) => {
    doubts.push(doubt);
    return false;
  });
  return doubts;
}

// Decides whether a word that no source has may be a name. In English and Spanish, a capital inside
// a sentence marks a name. In other languages, a word counts as a name unless the words around it
// show otherwise.

const BEHIND_A_NOUN = wordSet('of to for in on from with by at de del para en con a al sobre');
/** Words that stand before a German noun, but seldom before a name. */
const ARTICLES = wordSet(`der die das den dem des ein eine einen einem einer eines kein keine keinen
  keinem keiner mein meine meinen meinem meiner dein deine sein seine seinen seinem seiner ihr ihre
  ihren ihrem ihrer unser unsere unseren unserem unserer euer eure zum zur beim im am vom ins ans
  diese dieser dieses diesen diesem jede jeder jedes jeden jedem alle viele einige mehr welche`);
/** Tokens between an article and its noun, which may include an adjective. */
const ARTICLE_REACH = 2;
const GERMAN_NOUN = /(?:ung|heit|keit|schaft|tion|tät|nis|ismus|ungen|heiten|keiten|tionen)$/u;
const KNOWN_SURNAMES = new Set(SURNAMES);
const PLACED = /[在到去往于从自叫姓是由给跟]$/u;

function isMaybeName(word: Word, { tokens }: Sentence, language: Language): boolean {
  if (word.isName) return true;
  const before = tokens[word.at - 1];
  if (language === 'zh') {
    if (Array.from(word.lower).length === 1 || KNOWN_SURNAMES.has(word.lower.slice(0, 1)))
      return true;
    return PLACED.test(before?.text ?? '') || !/^\p{Script=Han}+$/u.test(word.lower);
  }
  if (!/^\p{Lu}/u.test(word.text)) return false;
  if (language !== 'de') return !BEHIND_A_NOUN.has(tokens[word.at + 1]?.lower ?? '');
  if (GERMAN_NOUN.test(word.lower)) return false;
  const near = tokens.slice(Math.max(0, word.at - ARTICLE_REACH), word.at);
  return !near.some(({ lower }) => ARTICLES.has(lower));
}
