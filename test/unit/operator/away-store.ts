/** A store that does not answer for a while. */
import { VarveError } from '#core/errors.ts';

/** The same store, each call of which fails while it is away. */
export function awayWhile<T extends object>(target: T, isAway: () => boolean): T {
  return new Proxy(target, {
    get: (from, key, receiver) => {
      const value: unknown = Reflect.get(from, key, receiver);
      if (typeof value === 'function') {
        const method = value.bind(from) as (...args: readonly unknown[]) => unknown;
        return async (...args: readonly unknown[]) => {
          if (isAway()) throw new VarveError('PROVIDER_ERROR', 'The store is away.');
          return method(...args);
        };
      }
      return typeof value === 'object' && value !== null ? awayWhile(value, isAway) : value;
    },
  });
}
