/** Stores that are unavailable for a while, and stores that count their calls. */
import { VarveError } from '#core/errors.ts';

/** The same store, each call of which fails while it is unavailable. */
export function unavailableWhile<T extends object>(target: T, isUnavailable: () => boolean): T {
  return new Proxy(target, {
    get: (from, key, receiver) => {
      const value: unknown = Reflect.get(from, key, receiver);
      if (typeof value === 'function') {
        const method = value.bind(from) as (...args: readonly unknown[]) => unknown;
        return async (...args: readonly unknown[]) => {
          if (isUnavailable()) throw new VarveError('PROVIDER_ERROR', 'The store is unavailable.');
          return method(...args);
        };
      }
      return typeof value === 'object' && value !== null
        ? unavailableWhile(value, isUnavailable)
        : value;
    },
  });
}

/** The same store; `pending` is called with 1 when a call begins and with -1 when it ends. */
export function countingCalls<T extends object>(target: T, pending: (change: 1 | -1) => void): T {
  return new Proxy(target, {
    get: (from, key, receiver) => {
      const value: unknown = Reflect.get(from, key, receiver);
      if (typeof value === 'function') {
        const method = value.bind(from) as (...args: readonly unknown[]) => unknown;
        return async (...args: readonly unknown[]) => {
          pending(1);
          try {
            return await method(...args);
          } finally {
            pending(-1);
          }
        };
      }
      return typeof value === 'object' && value !== null ? countingCalls(value, pending) : value;
    },
  });
}
