/** Identifiers of a call, and the hierarchy of projects, teams, orgs and companies (design 6.2). */
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

/**
 * The team of each project, the org of each team, and so on; missing names resolve to `default`.
 */
export const Hierarchy = z.strictObject({
  teamOfProject: z.record(ScopeName, ScopeName),
  orgOfTeam: z.record(ScopeName, ScopeName),
  companyOfOrg: z.record(ScopeName, ScopeName),
});
export type Hierarchy = z.infer<typeof Hierarchy>;

/** The identifier that each layer needs, as error messages and clients spell it. */
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
  /** The faulty identifier; null if the problem is the whole value. */
  readonly field: string | null;
  readonly expected: string;
}

/** Returns null if there is no problem, or one that the schema reports. */
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

/** Formats a problem as an error shows it: `identifiers.userId is undefined; …`. */
export function givenMessage({ field, expected }: IdentifierProblem): string {
  return field === null ? `identifiers: ${expected}` : `identifiers.${field} ${expected}`;
}
