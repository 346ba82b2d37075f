/** Checks tense: a claim that something was once or will be, while its sentence says that it is. */
import type { Language } from '../text/language.ts';
import type { CitedClaim } from './cited-claim.ts';
import type { Modifier } from './lexicon/lexicon.ts';
import { isThing } from './pronouns-and-nouns.ts';

/** Modifiers of what is still open or may come. */
const AHEAD: readonly Modifier[] = [
  'future',
  'intention',
  'possibility',
  'wish',
  'obligation',
  'advice',
  'request',
  'permission',
  'condition',
];
const OVER: readonly Modifier[] = ['former', 'past', 'negation'];

interface Tenses {
  /** Says that something is to come. */
  readonly future: RegExp;
  /** In a sentence: may also stand for something that has ended or is to come. */
  readonly open: RegExp;
}

const TENSES: Readonly<Record<Language, Tenses>> = {
  en: {
    future: /\bwill\b|'ll\b|\b(?:am|is|are) going to\b|\bsoon\b/u,
    open: /(?:\b(?:is|are|am)|'m|'re|'s) (?:\w+ ){0,2}\w+ing\b/u,
  },
  de: {
    future: /\b(?:künftig|demnächst|bald)\b/u,
    open: /(?!)/u,
  },
  es: {
    future: /\b(?:va|van|voy|vamos) a \p{L}+r(?:se)?\b|\bpronto\b/u,
    open: /(?!)/u,
  },
  zh: {
    future: /即将|快要|将(?=[会要于在住去来是有成到开])/u,
    open: /[过会要明下]|年/u,
  },
};

/** Whether the claim says that something was once or will be, but its sentences say that it is. */
export function hasOtherTense(
  judged: CitedClaim,
  { own, whole }: { own: ReadonlySet<Modifier>; whole: ReadonlySet<Modifier> },
): boolean {
  const { claim, cover, language } = judged;
  const { future, open } = TENSES[language];
  const sentences = cover.places.map(({ sentence }) => sentence);
  const isStated = (pattern: RegExp): boolean => sentences.some(({ lower }) => pattern.test(lower));
  const isOver = OVER.some((modifier) => whole.has(modifier));
  const isOpen = language === 'zh' && isStated(open);
  if (own.has('former') && !isOver && !isOpen) return true;
  const isDated = sentences.some(({ measures: { days, times } }) => days.length + times.length > 0);
  const isAhead = isDated || isStated(open) || AHEAD.some((modifier) => whole.has(modifier));
  if (future.test(claim.lower) && !isAhead && !isStated(future)) return true;
  return !isDated && !whole.has('condition') && isInflected(judged);
}

/** Auxiliaries of the German future and perfect. */
const WILL = /\b(?:werde|wird|werden)\b/u;
const HAVE = /\b(?:habe?n?|hat|bin|ist|sind)\b/u;

/** Whether a verb of the claim is in the past or future, but in the present in the sentence. */
function isInflected({ claim, cover, language }: CitedClaim): boolean {
  return cover.places.some(({ sentence, matches }) =>
    [...matches].some(([own, [stated]]) => {
      if (stated === undefined || isThing(stated, sentence, language)) return false;
      const [verb, present] = [own.lower, stated.lower];
      if (verb === present || !/^\p{Ll}/u.test(own.text)) return false;
      if (language === 'es') {
        const stem = present.replace(/(?:[ae]n|[aei]mos|[aeo])$/u, '');
        return stem !== present && verb.startsWith(stem) && SPANISH.test(verb.slice(stem.length));
      }
      if (language !== 'de') return false;
      const stem = present.replace(/(?:e?t|en|e)$/u, '');
      if (stem === present) return false;
      if (verb.startsWith(stem) && /^e?te(?:n|st|t)?$/u.test(verb.slice(stem.length))) return true;
      const isFuture = verb === `${stem}en` && WILL.test(claim.lower);
      const isPerfect = /^ge.+t$/u.test(verb) && verb.replace(/^ge|e?t$/gu, '') === stem;
      const isHad = isPerfect && HAVE.test(claim.lower) && !HAVE.test(sentence.lower);
      return (isFuture && !WILL.test(sentence.lower)) || isHad;
    }),
  );
}

/** Spanish endings of the past and the future. */
const SPANISH = /^(?:ían?|ió|ieron|aban?|ó|aron|[aei]r(?:á|án|é|emos))$/u;
