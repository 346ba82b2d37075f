/**
 * Checks actors: what somebody else does is not done by the speaker. `My brother painted the fence`
 * does not say that its speaker painted a fence.
 */
import type { Language } from '../text/language.ts';
import { LEXICONS } from './lexicon/lexicon-by-language.ts';
import { wordSet } from '../text/word-lists.ts';
import type { CitedClaim } from './cited-claim.ts';
import { ADDITIVE_CONJUNCTIONS, GERMAN_PREPOSITIONS } from './function-words.ts';
import type { SentencePlace, Matches } from './word-coverage.ts';
import { isKin } from '../text/people-words.ts';
import type { Sentence, Word } from './parsed-sentence.ts';
import { roleWord } from './speaker.ts';
import { isFirstPerson, isPossessive, isThing } from './pronouns-and-nouns.ts';

/** Whether the claim says that the speaker does something, but a sentence names somebody else. */
export function isDoneByAnother(judged: CitedClaim): boolean {
  const { claim, cover, language } = judged;
  const roles = claim.words.filter((word) => ROLES.has(word.lower) || namesSelf(word, language));
  const doers =
    reportedDoers(judged) ??
    [...roles, ...cover.bySpeaker].filter((word) => isDoer(word, claim, language));
  if (doers.length === 0) return false;
  const named = new Set(
    doers.flatMap((word) => {
      const by = besideOf(word, claim, language);
      return by === 0 ? [word.clause] : [word.clause, word.clause + by];
    }),
  );
  return cover.places.some((place) => {
    const matches: Matches = new Map([...place.matches].filter(([word]) => named.has(word.clause)));
    return matches.size > 0 && isOfAnother(doers, { claim, place, matches, language });
  });
}

/** Returns the `he` of `Ivan says he paid`: pronouns after a verb of saying that only frames. */
function reportedDoers({ claim, cover, language }: CitedClaim): readonly Word[] | null {
  const { saying } = LEXICONS[language];
  const isFrame = ({ lower, key }: Word): boolean =>
    saying.has(lower) &&
    !cover.places.some(({ sentence }) =>
      sentence.words.some((word) => word.key === key && word.kind !== 'Free'),
    );
  const frame = claim.words.find(isFrame);
  if (frame === undefined) return null;
  const isThere = cover.places.some(({ sentence }) =>
    sentence.words.some(({ lower }) => OTHERS[language].has(lower)),
  );
  if (isThere) return [];
  return claim.words.filter(({ at, lower }) => at > frame.at && REPORTED.has(lower));
}

const REPORTED = wordSet('he she they er él ella 他 她');

/** Words with which speakers name themselves as the one who acts. */
const SELVES =
  wordSet(`i i'm i've i'll i'd we we're we've we'll ich wir yo nosotros nosotras 我 我们
  咱们 本人 俺`);

function namesSelf({ lower }: Word, language: Language): boolean {
  return SELVES.has(lower) || (language === 'es' && FIRST_VERBS.has(lower));
}

/** Nouns that stand for the speaker and say as little as a pronoun. */
const ROLES = wordSet('nutzer nutzerin benutzer benutzerin usuario usuaria 用户');

interface Stated {
  readonly claim: Sentence;
  readonly place: SentencePlace;
  /** Matches of the clauses of the claim that name the speaker. */
  readonly matches: Matches;
  readonly language: Language;
}

/** Prepositions before the one who does what a passive says. */
export const BY = wordSet('by von vom durch por');
const ARTICLES = wordSet('the a an der die das den dem des el la los las');
/** Words before somebody who receives, hears or owns something, not before an actor. */
const BEFORE_OTHERS = wordSet(`of to for with from at about against between like than des der dem
  für mit bei zu zum zur gegen ohne als del de a al para con sin sobre`);

/** Whether the speaker is a subject or follows `by`, and is no owner or recipient. */
function isDoer({ at, lower }: Word, { tokens, words }: Sentence, language: Language): boolean {
  if (/'s?$/u.test(tokens[at]?.lower ?? '')) return false;
  const behind = tokens[at + 1]?.lower ?? '';
  if (language === 'zh') {
    if (behind === '的' || isKin(behind, 'zh')) return false;
    return !/^[给对向跟和与为]$/u.test(tokens[at - 1]?.lower ?? '');
  }
  const isDetermined = ARTICLES.has(tokens[at - 1]?.lower ?? '');
  const before = tokens[isDetermined ? at - 2 : at - 1]?.lower ?? '';
  if (BY.has(before)) return words.some(({ isPassive }) => isPassive);
  if (language === 'de' && (tokens[at - 1]?.lower === 'des' || isOwner(lower, tokens[at + 1]))) {
    return false;
  }
  return !BEFORE_OTHERS.has(before);
}

/** Whether a word is a German owner: `Petras Bruder`. */
function isOwner(lower: string, behind: { readonly text: string } | undefined): boolean {
  return lower.endsWith('s') && /^\p{Lu}/u.test(behind?.text ?? '');
}

function isOfAnother(doers: readonly Word[], stated: Stated): boolean {
  const { place, matches, language } = stated;
  const { sentence } = place;
  const isOfSelf = doers.some((word) => namesSelf(word, language));
  const isJoined = doers.some((word) => besideOf(word, stated.claim, language) !== 0);
  const own = clausesOf(isJoined ? [] : doers, matches);
  const clauses = new Set(own);
  const within = sentence.words.filter(({ clause }) => clauses.has(clause));
  const hasOwnSelf = isOfSelf && isSelf(within, stated);
  if (!hasOwnSelf) for (const clause of own) withSubject(clause, clauses, sentence);
  const near = sentence.words.filter(({ clause }) => clauses.has(clause));
  // The claim says `Jonas calls`, but somebody else says `I call`.
  if (!isJoined && !isOfSelf && !isSpeaker(doers, place) && isSelf(near, stated)) return true;
  const held = [...matches.values()].flat();
  const first = Math.min(...held.map(({ at }) => at));
  const others = near.filter(
    (word) => isOther(word, stated) && (isJoined || !isCovered(word, stated)),
  );
  if (language === 'zh') return isOtherHan(near, { sentence, held, first });
  if (isSelf(near, stated)) {
    // `I watched my brother paint it`: the person right before the verb acts.
    return others.some(
      ({ at }) => at === first - 1 && isPossessive(sentence.tokens[at - 1]?.lower ?? ''),
    );
  }
  const isYou = !isOfSelf && !doers.some(({ lower }) => place.speaker.includes(lower));
  const isPronoun = ({ lower }: Word): boolean =>
    OTHERS[language].has(lower) && !(isYou && /^(?:you|du)$/u.test(lower));
  if (near.some((word) => word.at < first && isPronoun(word))) return true;
  const isNamed = place.speaker.length > 0 && !isOfSelf;
  if (isNamed && doers.some((word) => isThirdPerson(word, stated))) return true;
  const isAgent = doers.some(({ at }) => isBehindBy(stated.claim, at));
  const isAnywhere = isAgent || isJoined || language === 'de';
  return others.some(({ at }) => at < first || isBehindBy(sentence, at) || isAnywhere);
}

/** Returns on which side a person is joined to another: `Ivan and his brother` are two. */
function besideOf({ at, lower }: Word, { tokens }: Sentence, language: Language): number {
  // A verb is joined to another verb.
  if (language === 'es' && FIRST_VERBS.has(lower)) return 0;
  const isAnd = (place: number): boolean => ADDITIVE_CONJUNCTIONS.has(tokens[place]?.lower ?? '');
  return isAnd(at + 1) ? 1 : isAnd(at - 1) ? -1 : 0;
}

function isSpeaker(doers: readonly Word[], { speaker }: SentencePlace): boolean {
  if (speaker.length === 0) return true;
  return doers.some(
    ({ lower }) =>
      ROLES.has(lower) ||
      roleWord(lower) !== undefined ||
      REPORTED.has(lower) ||
      speaker.some((name) => name.includes(lower)),
  );
}

/** Returns the clause of the word right after the actor; if there is none, all clauses. */
function clausesOf(doers: readonly Word[], matches: Matches): readonly number[] {
  const behind = [...matches].filter(([own]) => doers.some(({ at }) => own.at > at));
  const [nearest] = behind.toSorted(([a], [b]) => a.at - b.at);
  const found = nearest === undefined ? [...matches.values()] : [nearest[1]];
  return found.flatMap(([first]) => first?.clause ?? []);
}

/** Adds the clauses with the subject of a clause in a list, or of a relative clause. */
function withSubject(clause: number, clauses: Set<number>, { words, tokens }: Sentence): void {
  for (let at = clause; at > 0; at -= 1) {
    const opener = words.find((word) => word.clause === at && !JOINTS.has(word.lower));
    const before = tokens[(opener?.at ?? 0) - 1]?.lower ?? '';
    if (opener === undefined || DETERMINERS.has(opener.lower) || DETERMINERS.has(before)) return;
    clauses.add(at - 1);
  }
}

const JOINTS = wordSet('and but or und aber oder y e pero o which who that que');
const DETERMINERS = wordSet(`i we my our you your he she they it his her their the a an this that
  there ich wir mein meine unser unsere du er sie es man der die das ein eine dein sein ihr
  yo nosotros mi mis nuestro nuestra tú él ella ellos el la los las un una su sus`);

/** Subjects of the third and second person. */
const OTHERS: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: wordSet('he she they you someone somebody everyone everybody'),
  de: wordSet('er du jemand'),
  es: wordSet('él ella ellos ellas alguien'),
  zh: new Set(),
};

/** First-person verbs: Spanish leaves out `yo`, and the verb shows who acts. */
export const FIRST_VERBS =
  wordSet(`soy estoy he tengo voy hago doy sé puedo quiero debo vengo digo veo pongo
  salgo traigo fui hice tuve pude quise puse dije vine estuve di supe`);

/** Whether clauses have `I` or a first-person verb; `my` does not count. */
function isSelf(near: readonly Word[], { matches, language }: Stated): boolean {
  if (near.some((word) => isFirstPerson(word, language) && word.lower !== 'mine')) return true;
  if (language === 'de') return near.some(({ lower }) => /^(?:bin|habe|hab)$/u.test(lower));
  if (language !== 'es') return false;
  return (
    near.some(({ lower }) => FIRST_VERBS.has(lower) || /[aei]mos$/u.test(lower)) ||
    [...matches].some(
      ([own, [stated]]) =>
        stated !== undefined &&
        own.lower !== stated.lower &&
        /(?:[éío]|[aí]a)$/u.test(stated.lower),
    )
  );
}

/** Whether the verb right after the claim's subject is in the third person in the sentence too. */
function isThirdPerson(doer: Word, { claim, place, matches, language }: Stated): boolean {
  const verb = claim.words.find(
    ({ at }) => at > doer.at && !LIGHT.has(claim.tokens[at]?.lower ?? ''),
  );
  if (verb === undefined || verb.kind !== 'Content') return false;
  const between = claim.tokens.slice(doer.at + 1, verb.at);
  if (!between.every(({ lower }) => LIGHT.has(lower))) return false;
  const [stated] = matches.get(verb) ?? [];
  if (stated?.lower !== verb.lower || THIRD[language]?.test(verb.lower) !== true) return false;
  // `My new job starts on Monday`: the subject is a thing that the claim has elsewhere.
  const { tokens } = place.sentence;
  if (CLITICS.has(tokens[stated.at - 1]?.lower ?? '')) return true;
  return ![...matches].some(
    ([own, [thing]]) =>
      thing !== undefined && thing.at < stated.at && isThing(own, claim, language),
  );
}

const CLITICS = wordSet('se lo la los las le les');

/** Words that may stand between a subject and its verb. */
const LIGHT = wordSet('no se lo la los las le les me ya también todavía aún still also now');
const THIRD: Readonly<Partial<Record<Language, RegExp>>> = {
  de: /[^s]t$/u,
  es: /(?:[aeó]|[aeo]n)$/u,
};

/** Whether a word is a thing or person that may be a subject. */
function isOther(word: Word, stated: Stated): boolean {
  const { claim, place, matches, language } = stated;
  const { sentence } = place;
  const isSomebody = isKin(word.lower, language) && isOwn(word, sentence);
  if (word.kind !== 'Content' && !isSomebody) return false;
  if (!isThing(word, sentence, language) && !isOwn(word, sentence)) return false;
  if (isInterjection(word, stated)) return false;
  if (/(?:ly|mente)$/u.test(word.lower)) return false;
  const next = sentence.words.find(({ at }) => at === word.at + 1);
  if (next !== undefined && isHead(next, { claim, matches, language })) return false;
  if (isBehindBy(sentence, word.at)) return true;
  return !isBehindPreposition(sentence, word.at, language);
}

/** Whether a first word is no subject, as in `Yes, born in Lagos`: a mark follows, and no `who`. */
function isInterjection({ at, clause }: Word, { place, matches }: Stated): boolean {
  const { tokens, words } = place.sentence;
  if (at > 0 || [...matches.values()].flat().some((word) => word.clause === clause)) return false;
  const behind = words.find((word) => word.clause === clause + 1)?.lower ?? '';
  return !/^(?:who|which|that|der|die|das|que)$/u.test(behind) && tokens[at + 1]?.kind === 'Mark';
}

/** Whether the speaker's possessive precedes a word: `my brother`, `our team lead`. */
function isOwn({ at }: Word, { tokens }: Sentence): boolean {
  return [1, 2].some((by) => isPossessive(tokens[at - by]?.lower ?? ''));
}

function isCovered(word: Word, { claim, matches }: Stated): boolean {
  if ([...matches.values()].some((stated) => stated.includes(word))) return true;
  return claim.words.some(({ lower, key }) => lower === word.lower || key === word.key);
}

/** Whether the next word is a thing of the claim, which this word describes: `the old fence`. */
function isHead(
  next: Word,
  { claim, matches, language }: Pick<Stated, 'claim' | 'matches' | 'language'>,
): boolean {
  return [...matches].some(
    ([own, stated]) => stated.includes(next) && isThing(own, claim, language),
  );
}

const PREPOSITIONS: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: wordSet(`in on at for with of from to after before during about over under near since until
    against through into within without around like as by`),
  de: new Set([
    ...GERMAN_PREPOSITIONS,
    ...wordSet(`im am beim vom zum zur ins ans den dem des einen einem eines meinen meinem meines
      unseren unserem`),
  ]),
  es: wordSet('a de en con por para sin sobre desde hasta al del entre según'),
  zh: new Set(),
};
/** Maximum tokens from a preposition to its noun, with article and adjective. */
const PREPOSITION_REACH = 3;

export function isBehindPreposition(
  { tokens, words }: Sentence,
  at: number,
  language: Language,
): boolean {
  for (let place = at - 1; place >= Math.max(0, at - PREPOSITION_REACH); place -= 1) {
    const { kind, lower } = tokens[place] ?? { kind: 'Mark', lower: '' };
    if (PREPOSITIONS[language].has(lower)) return true;
    if (kind === 'Mark') return false;
    const isAdjective = words.some((word) => word.at === place && word.kind === 'Content');
    if (!isAdjective && !DETERMINERS.has(lower)) return false;
  }
  return false;
}

function isBehindBy({ tokens, words }: Sentence, at: number): boolean {
  const isNear = tokens.slice(Math.max(0, at - 2), at).some(({ lower }) => BY.has(lower));
  return isNear && words.some(({ isPassive }) => isPassive);
}

// Chinese has no articles and no verb forms: relatives, titles and actor markers show who acts.

function isOtherHan(
  near: readonly Word[],
  { sentence, held, first }: { sentence: Sentence; held: readonly Word[]; first: number },
): boolean {
  const { tokens } = sentence;
  const isHeld = (at: number): boolean => held.some((word) => word.at === at);
  const isSelf = near.some(({ lower, at }) => {
    if (at > first) return false;
    const next = tokens[at + 1]?.lower ?? '';
    return SELF_HAN.test(lower) && (!isKin(next, 'zh') || isHeld(at + 1));
  });
  return near.some(({ lower, at, kind }) => {
    if (isHeld(at)) return false;
    if (/^(?:由|被)$/u.test(tokens[at - 1]?.lower ?? '')) return !/^[我咱]/u.test(lower);
    if (at > first) return false;
    const isSent = SENDING.test(tokens[at - 1]?.lower ?? '');
    if (isSent && (isKin(lower, 'zh') || NICKNAME.test(lower + (tokens[at + 1]?.lower ?? '')))) {
      return true;
    }
    if (isSelf) return false;
    if (isKin(lower.replace(/^[我咱]们?/u, ''), 'zh') || /^[他她]/u.test(lower)) return true;
    const next = tokens[at + 1];
    const behind = next?.glued === true ? next.lower : '';
    const named = `${lower}${behind}`.slice(0, 2);
    return kind !== 'Value' && (TITLE.test(behind) || NICKNAME.test(named));
  });
}

/** Verbs before somebody who is told to do what follows. */
export const SENDING = /^(?:让|叫|派|托|请|要求|提醒|命令|吩咐|安排|催|劝)$/u;
const SELF_HAN = /^(?:我|我们|咱们|咱|俺|本人)$/u;
const TITLE = /^(?:工|总|姐|哥|老师|医生|经理|主任)$/u;
const NICKNAME = /^[小老阿][^\s是板师]$/u;
