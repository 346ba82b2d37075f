/**
 * Settles as the promise does, or rejects once the signal aborts; the work itself continues.
 * @param errorOf makes the error from the signal's reason; by default, it is the reason
 */
export async function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  errorOf: (reason: unknown) => unknown = (reason) => reason,
): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => {
    aborted.reject(errorOf(signal.reason));
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
