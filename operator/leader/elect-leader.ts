/**
 * Leader election by a Lease.
 *
 * Flow: look at the Lease → take it when it is free → `lead` runs, the Lease is renewed beside it
 * → on stop `lead` drains, then the Lease is released for the next one.
 * Guarantees: of all processes whose clocks run at the same rate, at most one has `isLeader()`
 * true at any moment: a leader stops counting itself as one `renewWithinMs` after it *sent* its
 * last successful renewal, and others wait `leaseMs` after they *saw* it. The epoch of a term is
 * above the epochs of all terms before it.
 * Assumptions: a process that lost its Lease ends; its state is not to be trusted.
 * Not guaranteed: that a write which was begun as leader arrives while still leader. A process may
 * stand still between the two. Outside writes therefore carry the epoch, or a version.
 */
import { VarveError } from '#core/errors.ts';
import type { OperatorMetrics } from '#core/ports/metrics.ts';
import type { Log, Timers } from '#core/ports/platform.ts';
import { withinTime } from '../timers.ts';
import { LeaseHolding, type HoldingOptions, checkedLeaseSettings, RETRY_JITTER } from './lease.ts';

/** Without a known leader for so many durations of the Lease, a process is not ready. */
export const UNKNOWN_LEASES_MAX = 3;
/** A release helps the next leader; shutdown does not wait long for it. */
const RELEASE_MS_MAX = 5_000;

/** One time of leading. */
export interface Term {
  /** The fence of outside writes: above every earlier term's. */
  readonly epoch: number;
  /** Aborted the moment the Lease is lost. */
  readonly signal: AbortSignal;
}

/**
 * The identity has to be different for every process that ever was: a name of the machine with
 * something random after it.
 */
export interface ElectorOptions extends Omit<HoldingOptions, 'timer'> {
  readonly timers: Timers;
  readonly log: Log;
  readonly metrics: OperatorMetrics;
}

/** `Lost`: end the process. `Stopped`: what was led has ended, or never began. */
export type ElectionEnd = 'Lost' | 'Stopped';

export interface LeaderElector {
  /**
   * Waits to lead, then runs `lead` once. The signal ends the wait. `lead` ends on its own, and the
   * Lease is kept until then, so that it can drain. Then the Lease is released, and an error of
   * `lead` is thrown on. If the Lease is lost, resolves with `Lost` without waiting for `lead`.
   */
  run(lead: (term: Term) => Promise<void>, signal: AbortSignal): Promise<ElectionEnd>;
  /** Ends the term at once: what was led met a later leader. `run` then resolves with `Lost`. */
  lose(): void;
  /** To be asked before each outside write. */
  isLeader(): boolean;
  /** 0 while not leading. */
  epoch(): number;
  /** Who leads as far as it is known, for people. */
  leader(): string | null;
  /** Whether a leader, itself or another, was known within the last few durations. */
  isLeaderKnown(): boolean;
}

/** @throws VarveError INVALID_INPUT for settings that do not fit together */
export function createLeaderElector(options: ElectorOptions): LeaderElector {
  return new LeaseElector({ ...options, settings: checkedLeaseSettings(options.settings) });
}

class LeaseElector implements LeaderElector {
  readonly #options: ElectorOptions;
  readonly #lease: LeaseHolding;
  readonly #overtaken = new AbortController();
  #knownAt: number | null = null;

  constructor(options: ElectorOptions) {
    this.#options = options;
    this.#lease = new LeaseHolding({ ...options, timer: options.timers.timer });
  }

  isLeader(): boolean {
    return this.#lease.leftMs > 0 && !this.#overtaken.signal.aborted;
  }

  lose(): void {
    this.#overtaken.abort();
  }

  epoch(): number {
    return this.isLeader() ? this.#lease.epoch : 0;
  }

  leader(): string | null {
    return this.#lease.holder;
  }

  isLeaderKnown(): boolean {
    const now = this.#options.timers.timer();
    if (this.#lease.holder !== null) this.#knownAt = now;
    if (this.#knownAt === null) return false;
    return now - this.#knownAt <= UNKNOWN_LEASES_MAX * this.#options.settings.leaseMs;
  }

  async run(lead: (term: Term) => Promise<void>, signal: AbortSignal): Promise<ElectionEnd> {
    if (!(await this.#acquire(signal))) return 'Stopped';
    const { log, identity } = this.#options;
    const { epoch } = this.#lease;
    log.info({ identity, epoch }, 'leading');
    const lost = new AbortController();
    const done = new AbortController();
    const led = lead({ epoch, signal: lost.signal })
      .then(
        () => null,
        (error: unknown) => ({ error }),
      )
      .finally(() => done.abort());
    const overtaken = this.#overtaken.signal;
    const kept = await this.#keep(AbortSignal.any([done.signal, overtaken]));
    if (kept === 'Lost' || overtaken.aborted) {
      this.#report();
      lost.abort(
        new VarveError('CANCELLED', 'The Lease was lost; this process is no longer the leader.'),
      );
      log.error({ identity, epoch }, 'lease lost; stopping this process');
      // One that still stands under this name would keep the next leader waiting.
      if (kept === 'Ended') await this.#release();
      return 'Lost';
    }
    await this.#release();
    const failure = await led;
    if (failure !== null) throw failure.error;
    return 'Stopped';
  }

  /** Whether this process leads; not where the signal came first. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      await this.#attempt('looked at', signal, (within) => this.#lease.takeIfFree(within));
      this.#report();
      if (this.isLeader()) return true;
      this.#lease.drop();
      await this.#pause(signal);
    }
    return false;
  }

  /** Resolves when the Lease is lost, or when there is nothing more to keep it for. */
  async #keep(done: AbortSignal): Promise<'Ended' | 'Lost'> {
    while (!done.aborted) {
      await this.#pause(done);
      if (done.aborted) break;
      // A process that was blocked for too long must not resume, even if no other took over.
      if (this.isLeader()) {
        await this.#attempt('renewed', done, (within) => this.#lease.renew(within));
      }
      this.#report();
      if (done.aborted || this.isLeader()) continue;
      this.#lease.drop();
      return 'Lost';
    }
    return 'Ended';
  }

  async #release(): Promise<void> {
    const { log, timers } = this.#options;
    const within = { limitMs: RELEASE_MS_MAX, signal: new AbortController().signal };
    try {
      await withinTime(timers, within, (signal) => this.#lease.release(signal));
      log.info({}, 'lease released');
    } catch (error) {
      log.warn({ error }, 'failed to release the lease; the next leader waits until it expires');
    }
    this.#report();
  }

  /** One try, never longer than what is left of the time to renew; a failure is only logged. */
  async #attempt(
    what: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const { timers, settings, log } = this.#options;
    const limitMs = this.#lease.leftMs || settings.renewWithinMs;
    try {
      await withinTime(timers, { limitMs, signal }, work);
    } catch (error) {
      if (!signal.aborted) log.warn({ error }, `the Lease could not be ${what}; retrying`);
    }
  }

  /** Until the next look, or until the time to renew is over where that is sooner. */
  async #pause(signal: AbortSignal): Promise<void> {
    const { timers, settings } = this.#options;
    const retryMs = settings.retryMs * (1 + RETRY_JITTER * timers.random());
    const ms = this.isLeader() ? Math.min(retryMs, this.#lease.leftMs) : retryMs;
    try {
      await timers.wait(ms, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #report(): void {
    const { metrics, place } = this.#options;
    const { name } = place;
    metrics.set('leader_election_master_status', { name }, this.isLeader() ? 1 : 0);
    metrics.set('leader_election_known', { name }, this.isLeaderKnown() ? 1 : 0);
  }
}
