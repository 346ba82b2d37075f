/** Who said a turn: a user, a named speaker, another person, or a file, whose lines are turns. */
import type { Turn } from '../../records/turn.ts';

interface SaidTurn {
  readonly turn: Pick<Turn, 'sessionId' | 'speaker' | 'role'>;
}

/** Whether it is a line of a file, which is its speaker. */
export function isLine({ turn: { speaker, sessionId } }: SaidTurn): boolean {
  return speaker === sessionId;
}

/** A person in the role of an assistant, who has no name. */
const OTHER_PERSON = 'assistant';

/** Returns who said what a person said; null for a user without a name, and for a line. */
export function personOf(told: SaidTurn): string | null {
  if (isLine(told)) return null;
  const { speaker, role } = told.turn;
  return speaker ?? (role === 'user' ? null : OTHER_PERSON);
}

/**
 * Whether two turns are by two people. A named speaker may be the user without a name, but for one
 * in the role of an assistant.
 */
export function areTwoPeople(one: SaidTurn, other: SaidTurn): boolean {
  const people = [personOf(one), personOf(other)];
  const isNoUser = [one, other].some((told) => !isLine(told) && told.turn.role !== 'user');
  return people[0] !== people[1] && (isNoUser || !people.includes(null));
}
