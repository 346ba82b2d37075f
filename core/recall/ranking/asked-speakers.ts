/**
 * Finds who is meant in conversations of people, such as chats between two friends: "What is Wes
 * allergic to?". What Wes says of himself rarely has his name; what his friend says to him has it
 * ("Wes, that boat!") and is rarely about him.
 */
import type {
  ConcatenatedSession,
  ConcatenatedSessions,
} from '../sessions/concatenated-sessions.ts';
import { hashedTerm, NO_NUMBER, numberIn } from '../words/term-index.ts';
import { turnWindowShare } from './score-turns-by-window.ts';

export interface AskedSpeakers {
  /** Terms of the question that only name a speaker. */
  readonly names: ReadonlySet<string>;
  /** By the place of a turn: the factor of its scores. */
  readonly factors: Float64Array;
}

/** Factor of what others say if the question names a speaker, or asks in the first person. */
const OTHERS_FACTOR = { named: 0.45, firstPerson: 0.7 };

/**
 * Returns null if no turn is by anybody else than the one who is meant. Long sessions are left out:
 * there, windows around the turns of a named speaker count.
 */
export function askedSpeakers(
  placed: ConcatenatedSessions,
  question: Question,
): AskedSpeakers | null {
  const words = namesIn(question);
  const short = placed.each.filter(({ turns }) => turnWindowShare(turns) === 0);
  const sessions = short.filter(({ isOfPeople, hasNames }) => isOfPeople || hasNames);
  const called = whoIsCalled(short, words);
  if (sessions.length === 0 && called.length === 0) return null;
  const isFirstPerson = FIRST_PERSON.test(question.text);
  const meant = meantOf(called, isFirstPerson);
  const asked = new Set(question.terms);
  const mayName = namingTerms(question, words);
  const names = new Set(called.flatMap(({ terms }) => terms));
  const factors = new Float64Array(placed.places.turns).fill(1);
  let isAny = false;
  for (const { session, firstTurn, isOfPeople } of sessions) {
    const named = session.turns.map(({ turn, names: own }) =>
      own.filter((name) => asked.has(name) && (mayName.has(name) || isLowerCase(turn.speaker))),
    );
    const isNamed = named.some((own) => own.length > 0);
    const factor = isNamed ? OTHERS_FACTOR.named : isOfPeople ? meant?.factor : undefined;
    if (factor === undefined) continue;
    for (const [at, own] of named.entries()) {
      for (const name of own) names.add(name);
      const isUser = session.turns[at]?.turn.role === 'user';
      // "What did I tell Wes?" means both.
      if (isNamed ? own.length > 0 || (isFirstPerson && isUser) : isUser === meant?.isUser)
        continue;
      factors[firstTurn + at] = factor;
      isAny = true;
    }
  }
  return isAny || names.size > 0 ? { names, factors } : null;
}

/** Returns which of two people a question means; null for both or neither. */
function meantOf(
  called: readonly Called[],
  isFirstPerson: boolean,
): { readonly isUser: boolean; readonly factor: number } | null {
  const [first] = called;
  if (first === undefined) {
    return isFirstPerson ? { isUser: true, factor: OTHERS_FACTOR.firstPerson } : null;
  }
  const isOne = called.every(({ isUser }) => isUser === first.isUser);
  const isBoth = !isOne || (isFirstPerson && !first.isUser);
  return isBoth ? null : { isUser: first.isUser, factor: OTHERS_FACTOR.named };
}

const FIRST_PERSON =
  /(?<![\p{L}'’])(?:I|my|mine|ich|mein(?:e[mnrs]?)?|mir|mich|yo|mis?)(?![\p{L}'’])|我/iu;

/** A name by which people call one of the two who talk. */
interface Called {
  readonly terms: readonly string[];
  readonly isUser: boolean;
}

function whoIsCalled(
  sessions: readonly ConcatenatedSession[],
  names: readonly Name[],
): readonly Called[] {
  return names.flatMap((name) => {
    const calls = callsOf(sessions, name);
    const [less, more] = [Math.min(calls.user, calls.other), Math.max(calls.user, calls.other)];
    const least = isLowerCase(name.word) ? LOWER_CASE_CALLS_MIN : 1;
    const isClear = more >= least && less * MORE_OFTEN <= more;
    return isClear ? [{ terms: name.terms, isUser: calls.user > calls.other }] : [];
  });
}

/** A word of the question that may be a name, and the terms of the question that stand for it. */
interface Name {
  readonly word: string;
  readonly terms: readonly string[];
}

const CAPITALIZED = /\p{Lu}[\p{L}\p{M}]+/gu;
/** Many people ask without a capital letter; then any word may be a name. */
const LOWER_CASE = /\p{Ll}[\p{L}\p{M}]{2,}/gu;
/** Pairs and triples of Chinese characters; few of the pieces are called out. */
const HAN_RUN = /\p{Script=Han}{2,}/gu;
const HAN_NAME_UNITS = [2, 3];
const NAMES_MAX = 48;
/** Other words are rarely called out twice ("Work!"), and a name is. */
const LOWER_CASE_CALLS_MIN = 2;
/** How many more times one of two people is called by a name than the other. */
const MORE_OFTEN = 3;

interface Question {
  readonly text: string;
  readonly terms: readonly string[];
}

function namesIn({ text, terms }: Question): readonly Name[] {
  const mayName = text.match(isLowerCase(text) ? LOWER_CASE : CAPITALIZED) ?? [];
  const latin = [...new Set(mayName)].slice(0, NAMES_MAX).flatMap((word) => {
    const plain = word.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
    const term =
      terms.find((each) => plain === each) ??
      terms.find((each) => each.length > 2 && plain.startsWith(each));
    return term === undefined ? [] : [{ word, terms: [term] }];
  });
  const han = (text.match(HAN_RUN) ?? [])
    .slice(0, NAMES_MAX)
    .flatMap((run) =>
      HAN_NAME_UNITS.flatMap((units) =>
        Array.from({ length: Math.max(0, run.length - units + 1) }, (_, at) =>
          run.slice(at, at + units),
        ),
      ),
    );
  const named = [...new Set(han)].slice(0, NAMES_MAX).map((word) => ({
    word,
    terms: terms.filter((term) => term.length > 1 && word.includes(term)),
  }));
  return [...latin, ...named.filter((name) => name.terms.length > 0)].slice(0, NAMES_MAX);
}

function isLowerCase(text: string | null): boolean {
  return text !== null && text === text.toLowerCase();
}

const CASED = /\p{Lu}|\p{Ll}/u;

/**
 * Returns the terms of a question that may be the name of a speaker: "Which rose did I plant?"
 * doesn't mean Rose, but people also ask in lower case throughout.
 */
function namingTerms({ text, terms }: Question, names: readonly Name[]): ReadonlySet<string> {
  if (isLowerCase(text)) return new Set(terms);
  const capitalized = names.flatMap(({ terms: own }) => own);
  return new Set([...capitalized, ...terms.filter((term) => !CASED.test(term))]);
}

/** Passages with a name that are read to find out who is called so. */
const PASSAGES_MAX = 64;

/** Counts how often each of two people is called by a name: by the other one, or by himself. */
function callsOf(
  sessions: readonly ConcatenatedSession[],
  { word, terms }: Name,
): { readonly user: number; readonly other: number } {
  const name = word.toLowerCase();
  const sought = hashedTerm(terms[0] ?? word);
  const calls = { user: 0, other: 0 };
  let read = 0;
  for (const { session, isOfPeople } of sessions) {
    const { index, passages, turns } = session;
    const number = numberIn(index, sought);
    if (number === NO_NUMBER) continue;
    const end = index.starts[number + 1] ?? 0;
    for (let at = index.starts[number] ?? 0; at < end && read < PASSAGES_MAX; at += 1) {
      read += 1;
      const passage = passages[index.passages[at] ?? 0];
      if (passage === undefined) continue;
      const isUser = turns[passage.turn]?.turn.role === 'user';
      const around = textAround(passage.text, name);
      if (INTRODUCES.test(around)) calls[isUser ? 'user' : 'other'] += 1;
      // A user who calls out to a program greets it, or dictates a letter.
      const mayCall = !isUser || isOfPeople;
      if (mayCall && CALLS.test(around)) calls[isUser ? 'other' : 'user'] += 1;
    }
  }
  return calls;
}

/** Stands for the name in the text around it: a pattern for each name takes long to compile. */
const NAME = '\u{FFFC}';
/** What is read around a name, in UTF-16 code units. */
const AROUND_UNITS = { before: 24, after: 12 };
/** Stands for the text before, where a name does not begin it. */
const TEXT_BEFORE = 'a b ';

/** Returns the text around the first and the last place of a name. @param name in lower case */
function textAround(text: string, name: string): string {
  const read = text.toLowerCase();
  // "Wes's" and "Bens" in a question may be "Wes" and "Ben" in the conversation.
  const sought = name.endsWith('s') && !read.includes(name) ? name.slice(0, -1) : name;
  const first = read.indexOf(sought);
  if (first === -1) return '';
  return [...new Set([first, read.lastIndexOf(sought)])]
    .map((at) => {
      const from = Math.max(0, at - AROUND_UNITS.before);
      const end = at + sought.length;
      const before = `${from > 0 ? TEXT_BEFORE : ''}${read.slice(from, at)}`;
      return `${before}${NAME}${read.slice(end, end + AROUND_UNITS.after)}`;
    })
    .join('\n');
}

const GREETINGS =
  'hey|hi|hello|oh|dear|congratulations|happy birthday|thanks|thank you|morning|night|' +
  'hallo|servus|moin|na|liebe[rn]?|danke|hola|ay|oye|querid[oa]|gracias';

/** Matches where a name is called out: at the start, after a greeting, or set off by commas. */
const CALLS = new RegExp(
  String.raw`^[^\p{L}${NAME}]*(?:\p{L}+[,，]? ?)?${NAME}s? ?[,!.?…，！。？～~–—-]|` +
    String.raw`(?<!\p{L})(?:${GREETINGS}),? ${NAME}(?!\p{L})|` +
    String.raw`[,!?，！？] ?${NAME} ?[,!.?…，！。？～~]`,
  'mu',
);

/** Matches where somebody says his own name: `I'm Wes`, `Wes here`. */
const INTRODUCES = new RegExp(
  String.raw`(?<!\p{L})(?:i['’]m|i am|my name(?:['’]s| is)|this is|ich bin(?: die| der)?|` +
    String.raw`ich hei(?:ß|ss)e|mein name ist|soy|me llamo|mi nombre es|我(?:叫|是)) ?` +
    String.raw`${NAME}(?!\p{L})|(?<!\p{L})${NAME} (?:here|hier|al habla)(?!\p{L})`,
  'u',
);
