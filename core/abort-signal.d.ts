/**
 * The part of the platform's AbortSignal that ports need. The domain compiles without any platform
 * types, and Node's own signal is assignable to this.
 */
interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
}
