/** Who reads tokens that Varve did not make; each part is loaded when it is asked for. */
import type { Platform } from '#core/ports/platform.ts';
import type { TokenReader } from '#core/ports/token-reader.ts';
import type { Config } from './config.ts';

export interface TokenReaders extends AsyncDisposable {
  /** In the order in which they are asked; none where nothing is configured. */
  readonly readers: readonly TokenReader[];
}

/** @throws VarveError INVALID_INPUT where an API server is to be asked that cannot be found */
export async function openTokenReaders(
  { jwt, serviceAccounts, kubeconfig }: Pick<Config, 'jwt' | 'serviceAccounts' | 'kubeconfig'>,
  platform: Pick<Platform, 'clock' | 'digest' | 'log'>,
): Promise<TokenReaders> {
  await using held = new AsyncDisposableStack();
  const readers: TokenReader[] = [];
  if (jwt !== null) {
    const { createJwtReader } = await import('#providers/jwt/token-reader.ts');
    readers.push(createJwtReader({ settings: jwt, ...platform }));
  }
  if (serviceAccounts !== null) {
    const [{ openTokenReviews }, { createTimers }] = await Promise.all([
      import('#providers/kubernetes/token-reviews.ts'),
      import('#providers/node/timers.ts'),
    ]);
    const options = { settings: serviceAccounts, kubeconfig, timers: createTimers(), platform };
    readers.push(held.use(openTokenReviews(options)));
  }
  const kept = held.move();
  return { readers, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
