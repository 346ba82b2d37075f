/** What a caller may do; each role includes those before it. */
import { z } from 'zod';

export const ROLES = ['read', 'write', 'operate', 'admin'] as const;
export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;

export function includesRole(has: Role, needed: Role): boolean {
  return ROLES.indexOf(has) >= ROLES.indexOf(needed);
}
