/** Attribution: whether a fact gives what was said or done to whom its source gives it. */
import { castOf, isSamePerson, type Cast, type Part, type Voices } from './cast.ts';
import type { NameBook } from './name.ts';
import { overlapOf, type Overlap, type Statement } from './statement.ts';
import { stemOf } from './stem.ts';

/** A statement of a source with who speaks in it. */
export interface Told {
  readonly statement: Statement;
  readonly cast: Cast;
  readonly speaker: readonly string[];
}

export function toldOf(statement: Statement, book: NameBook, voices: Voices): Told {
  return { statement, cast: castOf(statement, book, voices), speaker: voices.self };
}

/** The source must say this share of a fact before a name in it can be the wrong one. */
const MATTER_SHARE_MIN = 0.5;
const MATTER_SHARED_MIN = 2;
/** Below this share the closest statement is about something else. */
const CLOSE_SHARE_MIN = 0.4;
/** In sources this short, the only place with a verb is the place that is meant. */
const SHORT_STATEMENTS_MAX = 6;

/** Whether names of a fact stand in other parts than in the statements that are closest to it. */
export function isMisattributed(
  fact: Told,
  all: readonly Told[],
  isKnownPerson: (person: readonly string[]) => boolean,
): boolean {
  const parts = fact.cast.parts.filter(({ isNamed }) => isNamed);
  for (const part of parts) {
    const matter = new Set(fact.statement.content);
    for (const word of part.person) matter.delete(stemOf(word));
    const { closest, overlap } = closestTold(matter, all);
    if (closest.length === 0) continue;
    if (isOtherSubject(part, matter, all) || isOtherOwner(part, closest)) return true;
    if (overlap.share < CLOSE_SHARE_MIN) continue;
    if (closest.every((told) => isSwapped(parts, told.cast.parts))) return true;
    if (overlap.shared < Math.min(MATTER_SHARED_MIN, matter.size)) continue;
    if (overlap.share < MATTER_SHARE_MIN) continue;
    if (isReplaced(part, { fact, closest, isKnownPerson })) return true;
  }
  return false;
}

/** The statements that share most with a fact; all of them where several share as much. */
function closestTold(
  matter: ReadonlySet<string>,
  all: readonly Told[],
): { closest: readonly Told[]; overlap: Overlap } {
  let closest: Told[] = [];
  let overlap: Overlap = { shared: 0, share: 0 };
  for (const told of all) {
    const next = overlapOf(matter, told.statement.content);
    if (next.shared === 0 || next.shared < overlap.shared) continue;
    if (next.shared > overlap.shared) closest = [];
    closest.push(told);
    overlap = next;
  }
  return { closest, overlap };
}

/** Verbs that both may be the subject of: who met whom is one thing. */
const MUTUAL = /^(?:meet|marry|agre|talk|discuss|is|was|be|are)$/u;

/** The source names the subject of the same verb, and it is somebody else. */
function isOtherSubject(
  { person, slot, verb }: Part,
  matter: ReadonlySet<string>,
  all: readonly Told[],
): boolean {
  if (slot !== 'Subject' || verb === '' || MUTUAL.test(verb)) return false;
  const saying = all.filter(
    ({ statement, cast }) =>
      statement.content.has(verb) || cast.parts.some((part) => part.verb === verb),
  );
  const { closest, overlap } = closestTold(matter, saying);
  const isOnlyPlace = saying.length === 1 && all.length <= SHORT_STATEMENTS_MAX;
  if (overlap.share < CLOSE_SHARE_MIN && !isOnlyPlace) return false;
  return (
    closest.length > 0 &&
    closest.every(({ cast }) => {
      const subjects = cast.parts.filter((part) => part.slot === 'Subject' && part.verb === verb);
      return subjects.length > 0 && !subjects.some((part) => isSamePerson(part.person, person));
    })
  );
}

/** Two of them stand in each other's place. */
function isSwapped(fact: readonly Part[], told: readonly Part[]): boolean {
  return fact.some((one) =>
    fact.some((other) => {
      if (one.slot === '' || other.slot === '' || one.slot === other.slot) return false;
      if (MUTUAL.test(one.verb) || MUTUAL.test(other.verb)) return false;
      if (isSamePerson(one.person, other.person)) return false;
      const stands = (person: readonly string[], slot: string): boolean =>
        told.some((part) => part.slot === slot && isSamePerson(part.person, person));
      return (
        stands(one.person, other.slot) &&
        stands(other.person, one.slot) &&
        !stands(one.person, one.slot) &&
        !stands(other.person, other.slot)
      );
    }),
  );
}

/** `Bob's laptop` where the source only has `Ann's laptop`. */
function isOtherOwner({ person, slot }: Part, closest: readonly Told[]): boolean {
  if (!slot.startsWith('of ') || slot === 'of ') return false;
  const owners = closest.flatMap(({ cast }) => cast.parts.filter((part) => part.slot === slot));
  return owners.length > 0 && !owners.some((part) => isSamePerson(part.person, person));
}

/** The closest statements name somebody whom the fact does not, and not the one it names. */
function isReplaced(
  { person, slot, verb }: Part,
  {
    fact,
    closest,
    isKnownPerson,
  }: {
    fact: Told;
    closest: readonly Told[];
    isKnownPerson: (person: readonly string[]) => boolean;
  },
): boolean {
  const casting = closest.filter(({ cast }) => cast.parts.length > 0);
  return (casting.length > 0 ? casting : closest).every(({ cast, speaker }) => {
    if (cast.hasPronoun || isSamePerson(speaker, person)) return false;
    if (cast.parts.some((part) => isSamePerson(part.person, person))) return false;
    const others = cast.parts.filter(
      (part) =>
        !isInFact(part, fact) &&
        !fact.cast.parts.some((each) => isSamePerson(each.person, part.person)),
    );
    if (isKnownPerson(person)) return others.length > 0;
    // A name that nobody has said stands where a source has another.
    if (others.some((part) => part.isNamed)) return true;
    return others.some((part) => slot === 'Subject' && part.slot === slot && part.verb === verb);
  });
}

/** A guessed name is none where the fact has it as a word, and only a subject can be guessed. */
function isInFact({ person, slot, isGuessed }: Part, fact: Told): boolean {
  if (!isGuessed) return false;
  return slot !== 'Subject' || person.some((word) => fact.statement.content.has(stemOf(word)));
}
