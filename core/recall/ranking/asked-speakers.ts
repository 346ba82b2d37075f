/**
 * Finds the speaker whom a question names: "What is Wes allergic to?". What Wes says of himself
 * rarely has his name; what others call out to him has it ("Wes, that boat!"), and is not about him.
 */
import type {
  ConcatenatedSession,
  ConcatenatedSessions,
} from '../sessions/concatenated-sessions.ts';
import { turnWindowShare } from './score-turns-by-window.ts';
import { hashedTerm, NO_NUMBER, numberIn } from '../words/term-index.ts';

export interface AskedSpeakers {
  /** Terms of the question that only name a speaker. */
  readonly names: ReadonlySet<string>;
  /** By the place of a turn: 1 if somebody else says it than whom the question names. */
  readonly isOfOther: Uint8Array;
}

/** A capitalized word of the question, and the term of the question that stands for it. */
interface Name {
  readonly word: string;
  readonly term: string;
}

const NAME = /\p{Lu}[\p{L}\p{M}]+/gu;
const NAMES_MAX = 8;
/** Passages with the name that are read to find out who is called so. */
const PASSAGES_MAX = 400;
/** How many more times one of two people is called by a name than the other. */
const MORE_OFTEN = 3;

/** Returns null if the question names no speaker, or all of them. */
export function askedSpeakers(
  placed: ConcatenatedSessions,
  { text, terms }: { readonly text: string; readonly terms: readonly string[] },
): AskedSpeakers | null {
  const names = namesIn(text, terms);
  if (names.length === 0) return null;
  // In a long session, windows around the turns of a speaker count instead.
  const sessions = placed.each.filter(({ turns }) => turnWindowShare(turns) === 0);
  const ofPeople = sessions.filter(isOfPeople);
  const called = names.flatMap((name) => {
    const isUser = isUserCalled(ofPeople, name);
    return isUser === null ? [] : [{ ...name, isUser }];
  });
  const roles = new Set(called.map(({ isUser }) => isUser));
  const found = new Set(called.map(({ term }) => term));
  const isOfOther = new Uint8Array(placed.places.turns);
  let any = false;
  for (const each of sessions) {
    const { session, firstTurn } = each;
    const named = session.turns.map((turn) =>
      turn.names.some((own) => names.some(({ term }) => term === own)),
    );
    const isNamed = named.includes(true);
    const isCalled = roles.size === 1 && isOfPeople(each);
    if (!isNamed && !isCalled) continue;
    for (const [at, { turn, names: own }] of session.turns.entries()) {
      const isOther = isNamed ? named[at] !== true : roles.has(turn.role !== 'user');
      if (isNamed && named[at] === true)
        for (const term of own) if (terms.includes(term)) found.add(term);
      if (isOther) isOfOther[firstTurn + at] = 1;
      any ||= isOther;
    }
  }
  return found.size === 0 && !any ? null : { names: found, isOfOther };
}

function isOfPeople({ session, columns }: ConcatenatedSession): boolean {
  return columns !== session.columns;
}

function namesIn(text: string, terms: readonly string[]): readonly Name[] {
  const words = [...new Set(text.match(NAME) ?? [])].slice(0, NAMES_MAX);
  return words.flatMap((word) => {
    const plain = word.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
    const term =
      terms.find((each) => plain === each) ??
      terms.find((each) => each.length > 2 && plain.startsWith(each));
    return term === undefined ? [] : [{ word, term }];
  });
}

/** Whether the user is called by a name, or the other person; null if nobody clearly is. */
function isUserCalled(
  sessions: readonly ConcatenatedSession[],
  { word, term }: Name,
): boolean | null {
  const callsOut = callOf(word.replace(/s$/u, ''));
  const sought = hashedTerm(term);
  const calls = { user: 0, other: 0 };
  let read = 0;
  for (const {
    session: { index, passages, turns },
  } of sessions) {
    const number = numberIn(index, sought);
    if (number === NO_NUMBER) continue;
    const end = index.starts[number + 1] ?? 0;
    for (let at = index.starts[number] ?? 0; at < end && read < PASSAGES_MAX; at += 1) {
      read += 1;
      const passage = passages[index.passages[at] ?? 0];
      const turn = turns[passage?.turn ?? 0]?.turn;
      if (passage === undefined || turn === undefined || !callsOut.test(passage.text)) continue;
      calls[turn.role === 'user' ? 'other' : 'user'] += 1;
    }
  }
  const [less, more] = [Math.min(calls.user, calls.other), Math.max(calls.user, calls.other)];
  return more === 0 || less * MORE_OFTEN > more ? null : calls.user > calls.other;
}

/** Matches where a name is called out: at the start, after a greeting, or set off by commas. */
function callOf(name: string): RegExp {
  const own = `${name}s?`;
  return new RegExp(
    String.raw`^[^\p{L}]*(?:\p{L}+,? )?${own} ?[,!.?…–—-]|` +
      String.raw`(?<!\p{L})(?:hey|hi|hello|oh|dear|hola|hallo|ay|servus|moin|na|liebe[rn]?|querid[oa]|` +
      String.raw`gracias|thanks|thank you|danke|morning|night|congratulations|happy birthday),? ${own}(?!\p{L})|` +
      String.raw`[,!?] ${own} ?[,!.?…]`,
    'iu',
  );
}
