/** Who and what a call is about, and what belongs to what above it (design 6.2). */
import { z } from 'zod';
import type { Layer } from './layer.ts';
import { isStorable, NOT_STORABLE } from './storable-text.ts';
import { isRecord } from './is-record.ts';

export const IDENTIFIER_LENGTH_MAX = 256;

const Identifier = z
  .string()
  .min(1)
  .max(IDENTIFIER_LENGTH_MAX)
  .refine(isStorable, { error: NOT_STORABLE });

export const Identifiers = z.strictObject({
  agentId: Identifier.optional(),
  userId: Identifier.optional(),
  sessionId: Identifier.optional(),
  projectId: Identifier.optional(),
  teamId: Identifier.optional(),
  orgId: Identifier.optional(),
  companyId: Identifier.optional(),
});
export type Identifiers = z.infer<typeof Identifiers>;

const ScopeName = z.string().min(1).max(IDENTIFIER_LENGTH_MAX);

/** Which team a project belongs to, and so on upwards; absent names resolve to `default`. */
export const Hierarchy = z.strictObject({
  teamOfProject: z.record(ScopeName, ScopeName),
  orgOfTeam: z.record(ScopeName, ScopeName),
  companyOfOrg: z.record(ScopeName, ScopeName),
});
export type Hierarchy = z.infer<typeof Hierarchy>;

/** The identifier that a layer needs, by name, as error messages and clients spell it. */
export const IDENTIFIER_OF: Readonly<Record<Layer, keyof Identifiers>> = {
  agent: 'agentId',
  user: 'userId',
  session: 'sessionId',
  project: 'projectId',
  team: 'teamId',
  org: 'orgId',
  company: 'companyId',
};

interface IdentifierProblem {
  /** Of the identifiers; null where it is all of them. */
  readonly field: string | null;
  readonly expected: string;
}

/** Null for what has no problem, or one that its schema tells. */
export function problemOfGiven(given: unknown): IdentifierProblem | null {
  if (!isRecord(given)) return null;
  const fields = Object.entries(given);
  const field = fields.find(([, id]) => id === undefined)?.[0];
  if (field !== undefined) {
    const expected = 'is undefined; give the id, or leave the field out: it would name nobody';
    return { field, expected };
  }
  const prototype: unknown = Object.getPrototypeOf(given);
  if (fields.length > 0 || prototype === null || prototype === Object.prototype) return null;
  // A promise or a map has no fields of its own.
  const found = Object.prototype.toString.call(given).slice('[object '.length, -1);
  return { field: null, expected: `expected an object with fields, found a ${found}` };
}

/** As an error names it: `identifiers.userId is undefined; …`. */
export function givenMessage({ field, expected }: IdentifierProblem): string {
  return field === null ? `identifiers: ${expected}` : `identifiers.${field} ${expected}`;
}
