/** Who reads tokens that Varve did not make; each part is loaded when it is asked for. */
import type { Clock, Log } from '#core/ports/platform.ts';
import type { TokenReader } from '#core/ports/token-reader.ts';
import type { Config } from './config.ts';

/** In the order in which they are asked; none where nothing is configured. */
export async function tokenReadersOf(
  { jwt }: Pick<Config, 'jwt'>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<readonly TokenReader[]> {
  if (jwt === null) return [];
  const { createJwtReader } = await import('#providers/jwt/token-reader.ts');
  return [createJwtReader({ settings: jwt, clock, log })];
}
