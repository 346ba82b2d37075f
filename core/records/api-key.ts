/** A key that a caller of the API sends: whom it stands for, and a hash of its secret. */
import { z } from 'zod';
import { Identifiers } from '../identifiers.ts';
import { Layer } from '../layer.ts';
import { Role } from '../role.ts';
import { TenantId } from '../scope.ts';

export const KEY_NAME_LENGTH_MAX = 64;
/** Of one tenant; a key that is revoked counts no more. */
export const KEYS_MAX = 1_000;

/** Words of a name that stand in logs and beside what the key wrote. */
export const KeyName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/u, 'expected letters, digits, and . _ - after the first')
  .max(KEY_NAME_LENGTH_MAX);

export const ApiKey = z.strictObject({
  tenant: TenantId,
  /** Stands in the key itself, so that it is found by it. */
  id: z.string(),
  name: KeyName,
  role: Role,
  /** Identifiers that it speaks for alone; empty where it may speak for anybody of the tenant. */
  bound: Identifiers,
  /** Null for all of them. */
  layers: z.array(Layer).min(1).nullable(),
  /** Of the secret. It has 256 random bits, so one round of SHA-256 can't be tried out. */
  hash: z.strictObject({ algorithm: z.literal('sha256'), digest: z.string() }),
  createdAt: z.int().min(0),
  createdBy: z.string(),
  expiresAt: z.int().min(0).nullable(),
});
export type ApiKey = z.infer<typeof ApiKey>;
