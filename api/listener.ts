/** What every HTTP port has in common: who may read it, and what is said of a taken one. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import { VarveError } from '#core/errors.ts';

export interface ListenPlace {
  readonly host: string;
  /** 0 for a free port. */
  readonly port: number;
  /** What the port is for, and what sets another. */
  readonly what: string;
  readonly setting: string;
}

/**
 * Resolves with the port.
 * @throws VarveError INVALID_INPUT where it is taken
 */
export async function listen(
  server: Server,
  { host, port, what, setting }: ListenPlace,
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `The ${what} port ${String(port)} is not free; set another with ${setting}.`;
      reject(new VarveError('INVALID_INPUT', message, { details: { port }, cause }));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

/** Digests have equal length, so the comparison takes the same time for every wrong token. */
export function hasToken(request: IncomingMessage, token: string): boolean {
  const given = /^Bearer (.+)$/u.exec(request.headers.authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
