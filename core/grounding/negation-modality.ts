/**
 * Checks negation and modality: whether a claim denies, plans or asks the same as its sentences.
 * The words of each language are in lexicon/.
 */
import { LEXICONS } from './lexicon/lexicon-by-language.ts';
import type { Language } from '../text/language.ts';
import { type Modifier, MODIFIERS } from './lexicon/lexicon.ts';
import type { CitedClaim } from './cited-claim.ts';
import type { DropReason } from './drop-reason.ts';
import { isThing } from './pronouns-and-nouns.ts';
import { hasOtherTense } from './tense.ts';

/** Returns the modifiers of the clauses with words of the claim, and of the whole sentences. */
function statedModifiers({ cover }: CitedClaim): { near: Set<Modifier>; whole: Set<Modifier> } {
  const near = new Set<Modifier>();
  const whole = new Set<Modifier>();
  for (const { sentence, matches } of cover.places) {
    for (const modifier of sentence.modifiers.at(-1) ?? []) whole.add(modifier);
    const clauses = new Set<number>();
    // For a word that occurs twice, the first occurrence counts.
    for (const [first] of matches.values()) {
      if (first !== undefined) clauses.add(first.clause);
    }
    if (clauses.size === 0)
      for (const modifier of sentence.modifiers.at(-1) ?? []) near.add(modifier);
    for (const clause of clauses)
      for (const modifier of sentence.modifiers[clause] ?? []) near.add(modifier);
  }
  return { near, whole };
}

function claimModifiers({ claim }: CitedClaim): ReadonlySet<Modifier> {
  return claim.modifiers.at(-1) ?? new Set();
}

export function negationDiffers(judged: CitedClaim): DropReason | null {
  const isDenied = claimModifiers(judged).has('negation');
  const { near, whole } = statedModifiers(judged);
  const isFlipped = isDenied ? !whole.has('negation') : near.has('negation');
  return isFlipped || (isDenied && isElsewhere(judged)) ? 'NegationDiffers' : null;
}

/** Whether the claim denies another clause than its sentence does. */
function isElsewhere({ claim, cover }: CitedClaim): boolean {
  return cover.places.some(({ sentence, matches }) => {
    const places = [...matches].flatMap(([own, [stated]]) =>
      stated === undefined ? [] : [[own.clause, stated.clause] as const],
    );
    const isDenied = ([own, stated]: readonly [number, number]) => [
      claim.modifiers[own]?.has('negation') === true,
      sentence.modifiers[stated]?.has('negation') === true,
    ];
    const pairs = places.map(isDenied);
    return (
      pairs.some(([own, stated]) => own === true && stated === false) &&
      pairs.some(([own, stated]) => own === false && stated === true)
    );
  });
}

/** Modifiers that a claim may not leave out if its sentences have them. */
const KEPT: readonly Modifier[] = [
  'possibility',
  'obligation',
  'advice',
  'wish',
  'intention',
  'half',
  'almost',
];
/** Modifiers that a claim may not add; of these, others are told by rules of their own. */
const BROUGHT = MODIFIERS.filter(
  (modifier) => !/^(?:negation|request|former|future|past)$/u.test(modifier),
);
const OPEN: readonly Modifier[] = ['future', 'intention', 'possibility', 'wish'];

export function modalityDiffers(judged: CitedClaim): DropReason | null {
  if (judged.fact.derived != null) return null;
  const own = new Set(claimModifiers(judged));
  const { near, whole } = statedModifiers(judged);
  // `Must not`, `may not` and `is forbidden` mean the same.
  if (own.has('negation') && (whole.has('obligation') || whole.has('permission'))) {
    for (const modifiers of [own, near, whole]) withForce(modifiers);
  }
  if (whole.has('request')) whole.add('advice').add('obligation').add('wish');
  if (isAsked(judged) && asks(judged)) whole.add('condition');
  if (own.has('intention') && whole.has('future')) whole.add('intention');
  // `Por la lluvia` names a cause, but `por el cliente` a person who acts.
  if (judged.language === 'es' && isBecauseOf(judged)) whole.add('cause');
  if (/\bdue\b/u.test(judged.claim.lower) && whole.has('obligation')) {
    whole.add('intention');
    own.add('obligation');
  }
  // Whoever plans something also wants it.
  if (own.has('wish') && whole.has('intention')) {
    whole.add('wish');
    near.delete('intention');
  }
  if (!whole.has('up') && !whole.has('down') && isPhrasal(judged)) {
    own.delete('up');
    own.delete('down');
  }
  if (BROUGHT.some((modifier) => own.has(modifier) && !whole.has(modifier)))
    return 'ModalityDiffers';
  if (own.has('request')) own.add('obligation');
  if (KEPT.some((modifier) => near.has(modifier) && !own.has(modifier))) return 'ModalityDiffers';
  if (whole.has('condition') && !own.has('condition')) return 'ModalityDiffers';
  if (isGoverned(judged) || isWidened(judged)) return 'ModalityDiffers';
  // A question is no statement.
  if (isAsked(judged) && !asks(judged)) {
    return 'ModalityDiffers';
  }
  if (hasOtherTense(judged, { own, whole })) return 'ModalityDiffers';
  if (near.has('former') && !own.has('former') && !own.has('negation')) return 'ModalityDiffers';
  const isPast = isPastForm(judged);
  // `If the grant came, he hired two` for `If the grant comes, he hires two`.
  if (isPast && whole.has('condition') && !whole.has('past')) return 'ModalityDiffers';
  const isDone = own.has('past') || isPast;
  const isOpen = OPEN.some((modifier) => own.has(modifier));
  if (isDone && !isOpen && OPEN.some((modifier) => near.has(modifier)) && !near.has('past')) {
    return 'ModalityDiffers';
  }
  return null;
}

/** Whether `up` and `down` only belong to verbs: `burned down` for `burned`. */
function isPhrasal({ claim, cover }: CitedClaim): boolean {
  return claim.words.every(({ lower, at }) => {
    if (lower !== 'up' && lower !== 'down') return true;
    return cover.places.some(({ matches }) =>
      [...matches.keys()].some((word) => word.at === at - 1),
    );
  });
}

function isBecauseOf({ cover }: CitedClaim): boolean {
  return cover.places.some(({ sentence }) =>
    /\bpor (?:el|la|los|las|falta)\b/u.test(sentence.lower),
  );
}

function withForce(modifiers: Set<Modifier>): void {
  if (!modifiers.has('negation')) return;
  if (modifiers.has('obligation') || modifiers.has('permission')) {
    modifiers.add('obligation').add('permission');
  }
}

function isAsked({ cover }: CitedClaim): boolean {
  return cover.places.some(({ sentence }) => sentence.isQuestion);
}

function asks({ claim, language }: CitedClaim): boolean {
  return claim.isQuestion || claim.words.some(({ lower }) => LEXICONS[language].saying.has(lower));
}

/** Whether the claim has a past form, such as `wrote`, where a sentence has `write`. */
function isPastForm({ cover, language }: CitedClaim): boolean {
  if (language !== 'en') return false;
  return cover.places.some(({ matches }) =>
    [...matches].some(([own, [stated]]) => {
      if (stated === undefined || own.lower === stated.lower || own.key !== stated.key)
        return false;
      const isPast = own.lower.endsWith('ed') || !own.lower.startsWith(stated.lower);
      return (
        isPast &&
        !own.lower.endsWith('ing') &&
        !own.isPassive &&
        stated.kind === 'Content' &&
        own.kind === 'Content'
      );
    }),
  );
}

/** Whether the claim says too much: `every night` for `every Sunday night`. */
function isWidened({ claim, cover, language }: CitedClaim): boolean {
  const { modifiers } = LEXICONS[language];
  const isAll = (lower: string | undefined): boolean => modifiers.get(lower ?? '') === 'all';
  return cover.places.some(({ sentence: { tokens }, matches }) =>
    [...matches].some(([own, stated]) => {
      if (!isAll(claim.tokens[own.at - 1]?.lower)) return false;
      return (
        stated.length > 0 &&
        stated.every((word) => {
          const between = tokens[word.at - 1]?.lower;
          return (
            isAll(tokens[word.at - 2]?.lower) &&
            !claim.tokens.some(({ lower }) => lower === between)
          );
        })
      );
    }),
  );
}

/** Words between a verb and the verb that it governs. */
const LINKS: Readonly<Partial<Record<Language, readonly string[]>>> = {
  en: ['to'],
  es: ['a', 'de', 'en'],
};

/** Whether a claim drops the verb that governs its own: `refused to pay` is no payment. */
function isGoverned({ claim, cover, language }: CitedClaim): boolean {
  const links = LINKS[language] ?? [];
  if (links.length === 0) return false;
  return cover.places.some(({ sentence, matches }) =>
    [...matches.values()].some(([verb]) => {
      if (verb === undefined || verb.isName || isThing(verb, sentence, language)) return false;
      if (language === 'es' && !/[aei]r(?:l[aeo]s?|se)?$/u.test(verb.lower)) return false;
      if (!links.includes(sentence.tokens[verb.at - 1]?.lower ?? '')) return false;
      const leading = sentence.words.find((word) => word.at === verb.at - 2);
      return (
        leading?.kind === 'Content' &&
        !leading.isName &&
        !isThing(leading, sentence, language) &&
        !claim.words.some(({ key, lower }) => key === leading.key || lower === leading.lower)
      );
    }),
  );
}
