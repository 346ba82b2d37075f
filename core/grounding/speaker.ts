/** Speakers: whether what a fact gives somebody as said or wanted was said by them. */
import { isRole, isSamePerson, roleOf } from './cast.ts';
import type { Told } from './attribution.ts';
import { plainText } from './plain-text.ts';
import { overlapOf, type Statement } from './statement.ts';
import { stemOf } from './stem.ts';

/** Who speaks in a source, as a text names them. */
export interface Speaker {
  /** Words of the name in small letters; empty for a memory, which nobody speaks. */
  readonly names: readonly string[];
  readonly role: string;
}

const ROLES = new Set(['user', 'assistant', 'system', 'tool']);

export function speakerOf(source: { speaker: string | null; role?: string | null }): Speaker {
  const names = nameWords(source.speaker ?? '');
  const own = names.length === 1 && ROLES.has(names[0] ?? '') ? (names[0] ?? '') : '';
  return { names, role: source.role ?? own };
}

/** Words of a name; what stands for a role is that role: a customer is a user. */
export function nameWords(name: string): readonly string[] {
  const words = plainText(name)
    .toLowerCase()
    .split(/[\s._@-]+/u);
  return words.filter((word) => word !== '').map(roleOf);
}

/** Whether the speaker that a fact states is one of those who speak in its sources. */
export function isStatedSpeaker(
  stated: string,
  speakers: readonly Speaker[],
  text: string,
): boolean {
  const name = plainText(stated).toLowerCase().trim();
  const words = nameWords(stated);
  const role = roleOf(name.replace(/^the /u, ''));
  const spoken = speakers.filter(({ names }) => names.length > 0);
  if (spoken.some(({ names, role: own }) => own === role || isWithin(words, names))) return true;
  if (spoken.length > 0) return false;
  // A memory has no speaker: its text may name one, and a role is as good as none.
  return ROLES.has(role) || name === '' || text.includes(name);
}

function isWithin(one: readonly string[], other: readonly string[]): boolean {
  return (
    one.length > 0 &&
    (one.every((word) => other.includes(word)) || other.every((word) => one.includes(word)))
  );
}

const SAYING = new Set(
  (
    'say ask tell prefer want like love hate dislik mention stat report confirm suggest ' +
    'recommend ' +
    'propos explain request decid agre disagre complain not think believ promis offer plan ' +
    'announc ' +
    'reply answer warn admit claim refus said'
  ).split(' '),
);

/**
 * `The user prefers`, `Ann said`: the subject of such a verb has to speak in a cited turn, or to be
 * the subject of something in the text of one.
 */
export function isSaidByAnother(
  fact: Told,
  speakers: readonly Speaker[],
  told: readonly Told[],
): boolean {
  if (speakers.some(({ names }) => names.length === 0)) return false;
  return fact.cast.parts.some(({ person, slot, verb, isNamed }) => {
    if (!isNamed || slot !== 'Subject' || !SAYING.has(verb)) return false;
    if (person.every((word) => isRole(word))) {
      if (speakers.some(({ role }) => role === '')) return false;
      return !speakers.some(({ role }) => person.includes(role)) && !isActing(person, fact, told);
    }
    // A name may belong to a role: who the user is stands elsewhere.
    if (speakers.some(({ names }) => names.every((name) => ROLES.has(name)))) return false;
    if (speakers.some(({ names }) => isSamePerson(names, person))) return false;
    return !isActing(person, fact, told);
  });
}

/** `you prefer tea`, and not `do you prefer tea?` or `you might like tea`. */
function isStated({ tokens, isQuestion }: Statement): boolean {
  return (
    !isQuestion &&
    !tokens.some(({ lower }) =>
      /^(?:if|whether|might|may|could|should|would|can)$|'d$/u.test(lower),
    )
  );
}

/** Somebody who does not speak is the subject of what is told here, or of its saying. */
function isActing(person: readonly string[], fact: Told, told: readonly Told[]): boolean {
  const matter = new Set(fact.statement.content);
  for (const word of person) matter.delete(stemOf(word));
  return told.some(({ statement, cast }) => {
    const isClose =
      overlapOf(matter, statement.content).shared >= Math.max(1, Math.min(2, matter.size));
    return cast.parts.some(
      (part) =>
        (part.isNamed || isStated(statement)) &&
        isSamePerson(part.person, person) &&
        (SAYING.has(part.verb) || (isClose && /^(?:Subject|of )/u.test(part.slot))),
    );
  });
}
