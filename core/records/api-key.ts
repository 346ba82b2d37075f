/** A key that a caller of the API sends: the principal behind it, and a hash of its secret. */
import { z } from 'zod';
import { Identifiers } from '../identifiers.ts';
import { Layer } from '../layer.ts';
import { Role } from '../role.ts';
import { TenantId } from '../scope.ts';

const KEY_NAME_LENGTH_MAX = 64;
/** The most keys of one tenant; revoked keys do not count. */
export const KEYS_MAX = 1_000;

/** A name of words, for logs and for what the key wrote. */
export const KeyName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/u, 'expected letters, digits, and . _ - after the first')
  .max(KEY_NAME_LENGTH_MAX);

export const ApiKey = z.strictObject({
  tenant: TenantId,
  /** Part of the key itself, to look up the record. */
  id: z.string(),
  name: KeyName,
  role: Role,
  /** The only identifiers that it speaks for; empty if it may speak for anybody of the tenant. */
  bound: Identifiers,
  /** Null for all layers. */
  layers: z.array(Layer).min(1).nullable(),
  /**
   * Hash of the secret. The secret has 256 random bits, so one round of SHA-256 resists guessing.
   */
  hash: z.strictObject({ algorithm: z.literal('sha256'), digest: z.string() }),
  createdAt: z.int().min(0),
  createdBy: z.string(),
  expiresAt: z.int().min(0).nullable(),
});
export type ApiKey = z.infer<typeof ApiKey>;
