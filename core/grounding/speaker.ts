/** Checks speakers: whether a speaker said what a fact attributes to them. */
import { byWord } from '../text/word-lists.ts';
import { plainText } from './comparable-text.ts';

const ROLE_WORDS = byWord({
  user: 'user, customer, client, caller',
  assistant: 'assistant, agent, bot',
});

/** Returns the role that a word stands for, or undefined. */
export function roleWord(word: string): string | undefined {
  return ROLE_WORDS.get(word);
}

function roleOf(word: string): string {
  return roleWord(word) ?? word;
}

/** The speaker of a source, as texts may name them. */
export interface Speaker {
  /** Words of the name in lower case; empty for a memory, which has no speaker. */
  readonly names: readonly string[];
  readonly role: string;
}

const ROLES = new Set(['user', 'assistant', 'system', 'tool']);

/** Whether a name in lower case is a role, not a person's own name. */
export function isRole(name: string): boolean {
  return ROLES.has(roleOf(name));
}

export function speakerOf(source: { speaker: string | null; role?: string | null }): Speaker {
  const names = nameWords(source.speaker ?? '');
  const own = names.length === 1 && ROLES.has(names[0] ?? '') ? (names[0] ?? '') : '';
  return { names, role: source.role ?? own };
}

/** Returns the words of a name, with roles in their standard form: a customer is a user. */
function nameWords(name: string): readonly string[] {
  const words = plainText(name)
    .toLowerCase()
    .split(/[\s._@-]+/u);
  return words.filter((word) => word !== '').map(roleOf);
}

/** Whether the speaker that a fact states is a speaker of its sources. */
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
  // A memory has no speaker, but its text may name one; any role is accepted.
  return ROLES.has(role) || name === '' || text.includes(name);
}

function isWithin(one: readonly string[], other: readonly string[]): boolean {
  return (
    one.length > 0 &&
    (one.every((word) => other.includes(word)) || other.every((word) => one.includes(word)))
  );
}

/** Returns what a claim may call the speaker of an `I`: the name or the role. */
export function selfOf({ names, role }: Speaker): readonly string[] {
  return names.length === 0 || role === '' ? names : [...new Set([...names, role])];
}
