/** Who and what a call is about, and what belongs to what above it (design 6.2). */
import { z } from 'zod';
import type { Layer } from './layer.ts';
import { isStorable, NOT_STORABLE } from './storable-text.ts';

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
