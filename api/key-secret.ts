/** The text of an API key: `varve_<tenant>_<id>_<secret>`, of which only the secret is secret. */
import { createHash, randomBytes } from 'node:crypto';

/** As many as a hash has: nothing shorter is worth trying to guess. */
const SECRET_BYTES = 32;
const KEY = /^varve_(?<tenant>[a-z0-9-]{1,63})_(?<id>[0-9a-f-]{36})_(?<secret>[0-9a-f]{64})$/u;

export interface KeyParts {
  readonly tenant: string;
  readonly id: string;
  readonly secret: string;
}

export function keyText({ tenant, id, secret }: KeyParts): string {
  return `varve_${tenant}_${id}_${secret}`;
}

/** Null for what is no key. */
export function keyParts(text: string): KeyParts | null {
  const { tenant, id, secret } = KEY.exec(text)?.groups ?? {};
  if (tenant === undefined || id === undefined || secret === undefined) return null;
  return { tenant, id, secret };
}

export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('hex');
}

/** What is kept of a secret; the algorithm is named beside it. */
export function secretDigest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
