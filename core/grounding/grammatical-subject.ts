/**
 * Checks subjects: the person before a verb of the claim must be the one before the matching verb
 * in the sentence. `Carla told Tom to call` does not support a call by Carla, nor does `it was
 * fixed by Ana, and Ben paid` support a repair by Ben.
 */
import type { Language } from '../text/language.ts';
import { wordSet } from '../text/word-lists.ts';
import type { CitedClaim } from './cited-claim.ts';
import { ADDITIVE_CONJUNCTIONS } from './function-words.ts';
import { BY, FIRST_VERBS, isBehindPreposition, SENDING } from './other-actor.ts';
import { isKin } from '../text/people-words.ts';
import type { CoveredPlace, Pair } from './word-coverage.ts';
import { endsInInfinitive, type Sentence, type Word } from './parsed-sentence.ts';
import { isFirstPerson, isPossessive, isThing } from './pronouns-and-nouns.ts';

interface Stated {
  readonly claim: Sentence;
  readonly place: CoveredPlace;
  readonly bySpeaker: ReadonlySet<Word>;
  readonly language: Language;
}

/** Whether a verb of the claim has another subject than the matching verb in the sentence. */
export function hasOtherSubject({ claim, cover, language }: CitedClaim): boolean {
  const { bySpeaker } = cover;
  return cover.places.some((place) => {
    const stated = { claim, place, bySpeaker, language };
    return (
      isSubjectOfNothing(stated) ||
      pairsOf(stated).some(
        ([own, other]) => isOtherSubject(own, other, stated) || isOfOther(own, other, stated),
      )
    );
  });
}

/** Pairs words of the claim with their matches, including modifiers, as these may be verbs. */
function pairsOf({ claim, place: { sentence, matches } }: Stated): readonly Pair[] {
  const all = claim.words.map((own): [Word, readonly Word[]] => [
    own,
    own.kind === 'Modifier' || LIGHT_VERBS.has(own.key)
      ? sentence.words.filter(({ key, kind }) => kind !== 'Value' && key === own.key)
      : (matches.get(own) ?? []),
  ]);
  return all.flatMap(([own, [other, second]]): Pair[] =>
    other === undefined || second !== undefined ? [] : [[own, other]],
  );
}

/** Verbs that add little meaning, but still have a subject. */
const LIGHT_VERBS = wordSet(
  'call take get make go come use hold keep give put work receiv carri llam',
);

function isOtherSubject(own: Word, other: Word, stated: Stated): boolean {
  const { claim, place, language } = stated;
  const { sentence } = place;
  if (own.isPassive !== other.isPassive) return false;
  if (language === 'zh') return false;
  if (isThing(own, claim, language) || isThing(other, sentence, language)) return false;
  const subject = subjectAt(own.at, claim, language);
  const doer = subjectAt(other.at, sentence, language);
  if (subject === null || doer === null || isSelf(subject, language)) return false;
  const led = sentence.words.filter(({ at }) => at < doer.at && at >= doer.at - 2);
  if (led.some(({ lower }) => PROMISES.has(lower))) return false;
  const isOfSpeaker =
    place.speaker.includes(subject.lower) ||
    [subject, ...joinedTo(subject, claim)].some((word) => stated.bySpeaker.has(word));
  const held = place.matches.get(subject) ?? [];
  const also = joinedTo(doer, sentence);
  if (also.length > 0) return !isOfSpeaker && !held.some((word) => also.includes(word));
  const isNamed =
    isPerson(subject, claim, language) ||
    (isCapital(subject.text) && held.some(({ text }) => isCapital(text)));
  if (isSelf(doer, language)) return !isOfSpeaker && isNamed;
  if (isOfSpeaker) return true;
  if (held.length === 0 || held.includes(doer) || subject.key === doer.key) return false;
  return isNamed && isPerson(doer, sentence, language);
}

function isSelf(word: Word, language: Language): boolean {
  const { lower } = word;
  if (language === 'zh') return /^[我咱](?!的)/u.test(lower) && !isKin(lower.slice(1), 'zh');
  if (language === 'es' && FIRST_VERBS.has(lower)) return true;
  return isFirstPerson(word, language);
}

/**
 * Whether the claim gives an act to another than the sentence, which names its actor after `by`, or
 * as the one who is told to do it: `Ben` for `Ana` of `Ben bat Ana, die Bank anzurufen`.
 */
function isOfOther(own: Word, other: Word, stated: Stated): boolean {
  const { claim, place, language } = stated;
  const { sentence, matches } = place;
  const isNoun = language !== 'zh' && isThing(own, claim, language) && !isVerbOfSelf(own, language);
  if (own.isPassive || isNoun) return false;
  if (isCaused(other, sentence, language)) return isOfCauser(own, other, stated);
  const actor = other.isPassive
    ? agentOf(other, sentence, language)
    : delegateOf(other, sentence, language);
  const opener = claim.words.find(
    (word) => word.clause === own.clause && (word.kind === 'Content' || isSelf(word, language)),
  );
  if (actor === null || opener === undefined || opener === own) return false;
  if ([...matches.values()].some((held) => held.includes(actor))) return false;
  if (claim.words.some(({ key }) => key === actor.key)) return false;
  if (isSelf(opener, language) && !other.isPassive) {
    return sentence.words.some((word) => word.at < actor.at && isSelf(word, language));
  }
  return (matches.get(opener) ?? []).some((word) => {
    if (other.isPassive ? word.clause === other.clause : word.at > actor.at) return false;
    if (language === 'zh' || isKin(opener.lower, language)) return true;
    return isCapital(opener.text) && isCapital(word.text);
  });
}

/** Forms of verbs that say that somebody has something done. */
const CAUSES: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: wordSet('had has have having got gets get getting'),
  de: wordSet('ließ ließen ließt lässt lasse lassen lasst'),
  es: wordSet(`hizo hice hicimos hicieron hace hago hacen hecho mandó mandé mandamos mandaron manda
  mando mandan mandado`),
  zh: new Set(),
};

/**
 * Whether a verb says what somebody has another do: `Ben had the login fixed`, `Ben ließ den Login
 * reparieren`, `Ben mandó arreglar el acceso`.
 */
function mayBeCaused(verb: Word, { words, tokens }: Sentence, language: Language): boolean {
  const causes = CAUSES[language];
  if (language === 'es') {
    const before = tokens[verb.at - 1]?.lower === 'a' ? verb.at - 2 : verb.at - 1;
    return INFINITIVE.test(verb.lower) && causes.has(tokens[before]?.lower ?? '');
  }
  const part = words.filter(({ clause }) => clause === verb.clause);
  const cause = part.find(({ lower, at }) => causes.has(lower) && at !== verb.at);
  if (cause === undefined) return false;
  if (language === 'de') return /^(?!ge)\p{Ll}\p{L}*n$/u.test(verb.text);
  // `Ben had already fixed it`: without a thing between them, Ben did it himself.
  const between = tokens.slice(cause.at + 1, verb.at);
  return PARTICIPLE_EN.test(verb.lower) && between.some(({ lower }) => DETERMINER_EN.test(lower));
}

const PARTICIPLE_EN = /(?:[edtn]|[aeiou]ne)$/u;
const DETERMINER_EN = /^(?:the|an?|this|that|these|those|my|your|his|her|its|our|their|it|them)$/u;

/** As `mayBeCaused`; in English, the actor must follow: `I had the report finished` by myself. */
function isCaused(verb: Word, sentence: Sentence, language: Language): boolean {
  if (!mayBeCaused(verb, sentence, language)) return false;
  return language !== 'en' || agentOf(verb, sentence, language) !== null;
}

/** Whether somebody does in the claim what, in the sentence, another does for him. */
function isOfCauser(own: Word, other: Word, stated: Stated): boolean {
  const { claim, place, language } = stated;
  const { sentence, matches } = place;
  if (mayBeCaused(own, claim, language)) return false;
  const agent = agentOf(other, sentence, language);
  if (claim.words.some(({ key }) => key === agent?.key)) return false;
  const part = sentence.words.filter(({ clause }) => clause === other.clause);
  const causer = part.find(({ kind }) => kind === 'Content');
  const beside = claim.words.filter((word) => word.clause === own.clause && word !== own);
  const isSelfVerb = isVerbOfSelf(own, language);
  if (isSelfVerb || beside.some((word) => isSelf(word, language))) {
    return part.some((word) => isSelf(word, language) || isVerbOfSelf(word, language));
  }
  return beside.some((word) => causer !== undefined && matches.get(word)?.includes(causer));
}

/** Whether a Spanish verb has the ending of a first person in the past: `pinté`. */
function isVerbOfSelf({ lower }: Word, language: Language): boolean {
  return language === 'es' && /[éí]$/u.test(lower);
}

/** Returns the person after `by` in the clause of a passive. */
function agentOf({ clause }: Word, sentence: Sentence, language: Language): Word | null {
  const part = sentence.words.filter((word) => word.clause === clause);
  const by = part.findIndex(({ lower }) => BY.has(lower));
  const agent = part.slice(by + 1).find(({ kind }) => kind === 'Content');
  return by >= 0 && agent !== undefined && isNamed(agent, sentence, language) ? agent : null;
}

/** Returns who is told to do what a verb says; in English, that person stands before the verb. */
function delegateOf(verb: Word, sentence: Sentence, language: Language): Word | null {
  const part = sentence.words.filter(({ clause }) => clause === verb.clause);
  const before = part.slice(0, part.indexOf(verb));
  if (language === 'zh') {
    const told = before.findIndex(({ lower }) => SENDING.test(lower)) + 1;
    if (told === 0) return null;
    return before[/^[小老阿]$/u.test(before[told]?.lower ?? '') ? told + 1 : told] ?? null;
  }
  const found =
    language === 'es'
      ? toldInSpanish(verb, before)
      : language === 'de'
        ? toldInGerman(part, before, sentence)
        : undefined;
  return found !== undefined && isNamed(found, sentence, language) ? found : null;
}

/** Returns the word before or after `que`, or before an infinitive: `pidió a Ana que llamara`. */
function toldInSpanish({ lower }: Word, before: readonly Word[]): Word | undefined {
  const that = before.findLastIndex((word) => word.lower === 'que');
  const next = before.slice(that + 1).find(({ kind }) => kind === 'Content');
  if (that >= 0) return next ?? (INDICATIVE.test(lower) ? undefined : before[that - 1]);
  const last = before.findLastIndex(({ kind }) => kind === 'Content');
  const isTold = INFINITIVE.test(lower) && before[last - 1]?.lower === 'a';
  return isTold && !before.some((word) => PROMISES.has(word.lower)) ? before[last] : undefined;
}

const INFINITIVE = /[aeií]r(?:l[aeo]s?|se)?$/u;
/** Spanish verbs that tell what is so, not what somebody is to do: `dijo a Ana que llamó`. */
const INDICATIVE = /(?:[áéó]n?|(?:ía|aba)n?|[ai]eron|aron)$/u;

/** Returns the word after `dass` or `ließ`, or the last one before an infinitive with `zu`. */
function toldInGerman(
  part: readonly Word[],
  before: readonly Word[],
  { words }: Sentence,
): Word | undefined {
  const [opener] = part;
  if (opener === undefined) return undefined;
  if (opener.lower === 'dass') return part.find(({ kind }) => kind === 'Content');
  if (!endsInInfinitive(part)) {
    const lets = before.findIndex(({ lower }) => LETS.has(lower));
    const isInfinitive = part[before.length]?.lower.endsWith('n') === true;
    return lets >= 0 && isInfinitive ? before[lets + 1] : undefined;
  }
  const led = words.filter(({ clause }) => clause === opener.clause - 1);
  if (PURPOSE.has(opener.lower) || led.some(({ lower }) => PROMISES.has(lower))) return undefined;
  return led.slice(1).findLast(({ text }) => isCapital(text));
}

const LETS = wordSet('lässt ließ lassen lasse sieht sah hört hörte');
const PURPOSE = wordSet('um ohne statt anstatt');
/** What somebody promises somebody else, they do themselves. */
const PROMISES =
  wordSet(`promise promises promised promising verspricht versprach versprochen droht drohte gedroht
  bietet bot angeboten promete prometió prometido ofrece ofreció ofrecido`);

/** Whether a word is a relative or a name; a German name has a capital, but no article. */
function isNamed(word: Word, sentence: Sentence, language: Language): boolean {
  if (word.isName || isKin(word.lower, language)) return true;
  const before = sentence.tokens[word.at - 1]?.lower ?? '';
  return language === 'de' && isCapital(word.text) && !DETERMINED.test(before);
}

const DETERMINED = /^(?:d(?:er|ie|as|en|em|es)|k?ein\p{L}*|(?:[mds]ein|ihr|unser)\p{L}*)$/u;

/** Whether a word is a name, or a person or thing with an owner. */
function isPerson(word: Word, sentence: Sentence, language: Language): boolean {
  return word.isName || isOwned(word, sentence, language) || isKin(word.lower, language);
}

/** At the start of a sentence, a capital tells nothing unless the word also has it elsewhere. */
function isCapital(text: string): boolean {
  return /^\p{Lu}/u.test(text);
}

function isOwned({ at, lower }: Word, { tokens }: Sentence, language: Language): boolean {
  const before = tokens[at - 1]?.lower ?? '';
  if (isPossessive(before) || OWNERS.has(before) || /'s?$/u.test(before)) return true;
  return isKin(lower, language);
}

const OWNERS = wordSet('his her their its sein seine ihr ihre su sus');

/** Returns the person right before a verb, with only words without content between them. */
function subjectAt(at: number, sentence: Sentence, language: Language): Word | null {
  const clause = sentence.words.find((word) => word.at === at)?.clause;
  for (let place = at - 1; place >= 0; place -= 1) {
    const word = sentence.words.find((each) => each.at === place);
    if (word === undefined || word.clause !== clause) return null;
    if (isSelf(word, language)) return word;
    if (UNKNOWN.has(word.lower)) return null;
    if (word.kind !== 'Content') continue;
    const isNamed = isThing(word, sentence, language) || isOwned(word, sentence, language);
    if (!isNamed || isBehindPreposition(sentence, place, language)) return null;
    // A capital at the start of a Spanish sentence marks no name: Spanish leaves out `yo`.
    if (language === 'es' && place === 0) return null;
    return word;
  }
  return null;
}

/** Pronouns, which may stand for anybody. */
const UNKNOWN =
  wordSet(`he she it they you who which that this there someone somebody er sie es man him her them
  du wer das él ella ellos ellas usted que quien`);
/** Returns the other person of `my sister and I`: before `and` there is only that person. */
function joinedTo(doer: Word, { words }: Sentence): readonly Word[] {
  const joint = words.find(({ clause }) => clause === doer.clause);
  if (!ADDITIVE_CONJUNCTIONS.has(joint?.lower ?? '')) return [];
  const before = words.filter(({ clause }) => clause === doer.clause - 1);
  return before.length <= 2 ? before.filter(({ kind }) => kind === 'Content') : [];
}

/**
 * Whether a person opens a clause of the claim, while in the sentence `I` does what the clause
 * says. Only for languages in which word order does not show who acts.
 */
function isSubjectOfNothing({ claim, place, bySpeaker, language }: Stated): boolean {
  if (language === 'en') return false;
  const { sentence, matches } = place;
  return [...Map.groupBy(claim.words, ({ clause }) => clause).values()].some((words) => {
    const content = words.filter((word) => word.kind === 'Content' && !bySpeaker.has(word));
    const [opener] = content;
    if (opener === undefined || content.some(({ isPassive }) => isPassive && language !== 'zh'))
      return false;
    if (words.some(({ lower }) => /^[被由受从]$/u.test(lower))) return false;
    const [person] = matches.get(opener) ?? [];
    if (person === undefined || !isOpener(opener, words, claim, language)) return false;
    const held = content.slice(1).flatMap((word) => matches.get(word)?.[0] ?? []);
    const [main] =
      [...Map.groupBy(held, ({ clause }) => clause)].toSorted(
        (a, b) => b[1].length - a[1].length,
      )[0] ?? [];
    const near = sentence.words.filter(({ clause }) => clause === main);
    const verb = words.flatMap((own) => {
      const [stated] = matches.get(own) ?? [];
      return stated !== undefined && stated.lower !== own.lower && /[éí]$/u.test(stated.lower)
        ? stated
        : [];
    });
    const self =
      near.find((word) => isSelf(word, language) && !isOwner(word, sentence, language)) ??
      (language === 'es' ? verb[0] : undefined);
    const owned = near.find((word) => isKin(word.lower, language));
    if (person.clause !== main) return self !== undefined || owned !== undefined;
    return self !== undefined && person !== owned
      ? true
      : self !== undefined && self.at < person.at;
  });
}

/** Whether a word only owns the next one: `我姐姐` names the sister. */
function isOwner({ at }: Word, { tokens }: Sentence, language: Language): boolean {
  return language === 'zh' && isKin(tokens[at + 1]?.lower ?? '', language);
}

/** Whether a word is a name or somebody's relative, with at most its owner before it. */
function isOpener(
  opener: Word,
  words: readonly Word[],
  { tokens }: Sentence,
  language: Language,
): boolean {
  const first = words[0]?.at ?? 0;
  if (isKin(opener.lower, language)) return opener.at - first <= OWNER_REACH;
  if (opener.at !== first) return false;
  if (language === 'zh') return /^[小老阿]$/u.test(opener.lower);
  return /^\p{Lu}/u.test(opener.text) && tokens[opener.at + 1]?.kind === 'Word';
}

/** Maximum words of an owner before a relative: `刘洋的弟弟`. */
const OWNER_REACH = 3;
