/** Negation: whether a fact and its sources agree on what is denied. */
import type { Told } from './attribution.ts';
import { monthOf, weekdayOf } from './calendar-word.ts';
import { isSamePerson } from './cast.ts';
import { denialOf, type Denial } from './denial.ts';
import { isOpposed } from './opposite.ts';
import { isPastForm } from './plan.ts';
import { overlapOf, type Statement } from './statement.ts';

/** Only a statement that says this share of the same can contradict by another denied word. */
const OTHER_WORD_SHARE = 0.6;
/** Words that a fact and what it contradicts have in common at least, the denied one included. */
const SHARED_MIN = 2;

/**
 * Whether a fact denies what its sources say, or the other way round. A word is compared where the
 * sources say it; where several places are as close, one that agrees is enough.
 */
export function isNegationFlipped(
  fact: Told,
  all: readonly Told[],
  closest: readonly Statement[],
): boolean {
  if (fact.statement.isQuestion) return false;
  const denial = denialOf(fact.statement);
  for (const stem of fact.statement.content) {
    if (isWordFlipped(stem, { fact, denial }, all)) return true;
  }
  return (
    closest.length > 0 &&
    closest.every((told) => !told.isQuestion && isOtherwiseFlipped(fact.statement, denial, told))
  );
}

function isWordFlipped(
  stem: string,
  { fact, denial }: { fact: Told; denial: Denial },
  all: readonly Told[],
): boolean {
  const places = placesOf(stem, fact, all);
  if (places.length === 0) return false;
  const isDenied = denial.denied.has(stem);
  return places.every(({ statement }) => {
    if (statement.isQuestion || isOpposed(fact.statement, statement)) return false;
    const other = denialOf(statement);
    if (other.denied.has(stem) === isDenied && !other.replaced.has(stem)) return false;
    if (isDenied && other.excepted.has(stem)) return true;
    const isReplacing = denial.hard + denial.soft.size > 0 || denial.replaced.size > 0;
    if (!isDenied && other.replaced.has(stem)) return !isReplacing;
    if (isDenied ? isStillToCome(fact.statement, statement) : isOver(fact.statement, other)) {
      return false;
    }
    if (denial.aside.has(stem) || other.aside.has(stem)) return false;
    const [one, two] = isDenied ? [denial, statement] : [other, fact.statement];
    if (!isSameObject(one.objects.get(stem) ?? [], two)) return false;
    return isDenied
      ? !isSoft(other, stem) && hardOn(other, fact.statement) < denial.hard
      : !isSoft(denial, stem) && denial.hard < other.hard;
  });
}

/** `has not arrived yet` agrees with `arrives on Tuesday`. */
function isStillToCome(fact: Statement, told: Statement): boolean {
  return fact.tokens.some(({ lower }) => lower === 'yet') && !hasPast(told);
}

/** `worked there` agrees with `stopped working there`. */
function isOver(fact: Statement, { hasCeased }: Denial): boolean {
  return hasCeased && hasPast(fact);
}

function hasPast({ tokens }: Statement): boolean {
  return tokens.some(
    ({ lower }) => lower === 'was' || lower === 'were' || lower === 'had' || isPastForm(lower),
  );
}

/** `does not take the bus` is no word on taking a train. */
function isSameObject(objects: readonly string[], { content, tokens }: Statement): boolean {
  const things = objects.filter((stem) => !isTimeWord(stem));
  return (
    things.length === 0 ||
    things.some((stem) => content.has(stem)) ||
    tokens.some(({ lower }) => /^(?:it|them|that|those|this)$/u.test(lower))
  );
}

/** Days are told in many ways, and numbers are judged elsewhere. */
function isTimeWord(stem: string): boolean {
  return (
    /^(?:\d.*|last|next|today|tomorrow|yesterday)$/u.test(stem) ||
    monthOf(stem) !== undefined ||
    weekdayOf(stem) !== undefined
  );
}

/** Denials of a source that are about something of the fact. */
function hardOn({ hard, denied, objects }: Denial, { content }: Statement): number {
  const stems = [...denied, ...[...objects.values()].flat()];
  return stems.length === 0 || stems.some((stem) => content.has(stem)) ? hard : 0;
}

/** A word cannot deny itself. */
function isSoft({ soft }: Denial, stem: string): boolean {
  return soft.size > (soft.has(stem) ? 1 : 0);
}

/**
 * The statements with a word that share most with a fact, with the same subject where they
 * have.
 */
function placesOf(stem: string, fact: Told, all: readonly Told[]): readonly Told[] {
  let places: Told[] = [];
  let best = 0;
  for (const [index, told] of all.entries()) {
    if (!told.statement.content.has(stem)) continue;
    const own = overlapOf(fact.statement.content, told.statement.content).shared;
    const around = [all[index - 1], all[index + 1]].map((near) =>
      near === undefined ? 0 : overlapOf(fact.statement.content, near.statement.content).shared,
    );
    const { size } = fact.statement.content;
    const near = own + Math.max(...around);
    if (near < Math.min(SHARED_MIN, size) || near < size * NEAR_SHARE_MIN) continue;
    const rank = own + (hasSameSubject(stem, fact, told) ? SUBJECT_RANK : 0);
    if (rank < best) continue;
    if (rank > best) places = [];
    places.push(told);
    best = rank;
  }
  return places;
}

/** A place, with what stands around it, says this share of a fact at least. */
const NEAR_SHARE_MIN = 0.5;
/** Who does something tells a place better than two more words would. */
const SUBJECT_RANK = 2;

function hasSameSubject(verb: string, fact: Told, told: Told): boolean {
  const subjects = told.cast.parts.filter((part) => part.verb === verb);
  return fact.cast.parts.some(
    (part) => part.verb === verb && subjects.some((each) => isSamePerson(each.person, part.person)),
  );
}

/** One side denies a word that the other replaces by another without denying anything. */
function isOtherwiseFlipped(fact: Statement, denial: Denial, told: Statement): boolean {
  const other = denialOf(told);
  if (denial.hard > 0 === other.hard > 0 || isOpposed(fact, told)) return false;
  const [one, two] = denial.hard > 0 ? [denial, other] : [other, denial];
  const content = denial.hard > 0 ? told.content : fact.content;
  if (two.soft.size + one.soft.size > 0 || one.hard > 1) return false;
  if ([...one.denied].some((stem) => content.has(stem))) return false;
  if (one.behind.length === 0 || !one.behind.every((stem) => content.has(stem))) return false;
  const { shared, share } = overlapOf(denial.hard > 0 ? fact.content : told.content, content);
  return shared >= SHARED_MIN && share >= OTHER_WORD_SHARE;
}
