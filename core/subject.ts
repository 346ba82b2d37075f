/** A subject: the owner of a Markdown memory, an agent or a user of a tenant. */
import { z } from 'zod';
import type { Identifiers } from './identifiers.ts';

const SUBJECT_ID_LENGTH_MAX = 256;
const EXAMPLE = 'expected an object, such as {"kind":"user","id":"ann"}';

export const Subject = z.strictObject(
  { kind: z.enum(['agent', 'user']), id: z.string().min(1).max(SUBJECT_ID_LENGTH_MAX) },
  // The command line takes it as one text, user/ann.
  { error: ({ code }) => (code === 'invalid_type' ? EXAMPLE : undefined) },
);
export type Subject = z.infer<typeof Subject>;

/** Returns the subjects that a call names; each has files of its own. */
export function subjectsOf({ userId, agentId }: Identifiers): readonly Subject[] {
  return [
    ...(userId === undefined ? [] : [{ kind: 'user' as const, id: userId }]),
    ...(agentId === undefined ? [] : [{ kind: 'agent' as const, id: agentId }]),
  ];
}

/**
 * Identifies a subject within its tenant, in keys of records; never in workflows, logs or errors.
 */
export function subjectKey({ kind, id }: Subject): string {
  return `${kind}/${id}`;
}

/** Returns the bounds, both exclusive, of the keys of a kind that come after a given key. */
export function keysBetween(
  after: string,
  kind: Subject['kind'] | undefined,
): { readonly after: string; readonly before: string | null } {
  if (kind === undefined) return { after, before: null };
  const first = `${kind}/`;
  // "0" is the character after "/".
  return { after: after > first ? after : first, before: `${kind}0` };
}

/** Reverses `subjectKey`; null for any other text. */
export function subjectOfKey(key: string): Subject | null {
  const slash = key.indexOf('/');
  const parsed = Subject.safeParse({ kind: key.slice(0, slash), id: key.slice(slash + 1) });
  return parsed.success ? parsed.data : null;
}
