/**
 * Every call by which the operator reaches outside of its process, in one place: counted, and the
 * point at which the process dies or stands still.
 */
import { VarveError } from '#core/errors.ts';

/** What becomes of a call. */
export type CallFate =
  /** It is done and answered. */
  | 'Pass'
  /** It is done whatever the process decided since: it was on its way already. */
  | 'PassLate'
  /** The process dies before the call leaves it. */
  | 'DieBefore'
  /** The call is done, and the process dies before it hears of it. */
  | 'DieAfter';

export interface OutsideCall {
  /** Such as `api.apply` or `policies.put`. */
  readonly name: string;
  /** From 1, in the order in which they were begun; null for a call that does not count. */
  readonly number: number | null;
}

export type CallEnd = { readonly error: unknown } | { readonly answer: unknown };

export interface OutsideCallsOptions {
  /** Waits as long as the process stands still before the call. */
  readonly fateOf: (call: OutsideCall, args: readonly unknown[]) => CallFate | Promise<CallFate>;
  /** The process is dead: to stop what would be gone with it. */
  readonly onDeath: () => void;
  /** Told how a call that was let through ended: its error, or its answer. */
  readonly onEnd?: (call: OutsideCall, end: CallEnd) => void;
  /** Whether a call counts; one that does not still dies with the process. */
  readonly counts: (name: string, args: readonly unknown[]) => boolean;
}

type Method = (...args: readonly unknown[]) => unknown;

export class OutsideCalls {
  readonly #options: OutsideCallsOptions;
  #isDead = false;
  #count = 0;

  constructor(options: OutsideCallsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#count;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** The same thing, whose methods, and those of what it holds, go through here. */
  through<T extends object>(target: T, name: string): T {
    return new Proxy(target, {
      get: (from, key, receiver) => {
        const value: unknown = Reflect.get(from, key, receiver);
        const path = `${name}.${String(key)}`;
        if (typeof value === 'function') {
          const method = (value as Method).bind(from);
          const isStream = path === 'api.watch';
          return (...args: readonly unknown[]) =>
            isStream ? this.#stream(method, args) : this.#call(path, method, args);
        }
        const isPart = typeof value === 'object' && value !== null;
        return isPart ? this.through(value, String(key)) : value;
      },
    });
  }

  async #call(name: string, method: Method, args: readonly unknown[]): Promise<unknown> {
    this.#failIfDead();
    const isCounted = this.#options.counts(name, args);
    if (isCounted) this.#count += 1;
    const call: OutsideCall = { name, number: isCounted ? this.#count : null };
    const fate = await this.#options.fateOf(call, args);
    if (fate === 'DieBefore') this.#die();
    this.#failIfDead();
    try {
      const answer = await method(...(fate === 'PassLate' ? args.map(withoutSignal) : args));
      if (fate === 'DieAfter') this.#die();
      this.#failIfDead();
      this.#options.onEnd?.(call, { answer });
      return answer;
    } catch (error) {
      if (fate === 'DieAfter') this.#die();
      this.#options.onEnd?.(call, { error });
      throw error;
    }
  }

  async *#stream(method: Method, args: readonly unknown[]): AsyncGenerator {
    this.#failIfDead();
    for await (const event of method(...args) as AsyncIterable<unknown>) {
      this.#failIfDead();
      yield event;
    }
  }

  #die(): void {
    this.#isDead = true;
    this.#options.onDeath();
  }

  #failIfDead(): void {
    if (this.#isDead) throw new VarveError('CANCELLED', 'The process is dead.');
  }
}

/** A process that stood still has sent what it sends before it can give it up. */
function withoutSignal(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  // Bytes and lists hold no signal, and are not to be taken apart.
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).filter(([name]) => name !== 'signal');
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutSignal(inner)]));
}
