/**
 * Leader election by a Lease.
 *
 * Flow: read the Lease → take it when it is free → run `lead` and renew the Lease meanwhile → on
 * stop, let `lead` drain, then release the Lease for the next leader.
 * Guarantees: of all processes whose clocks run at the same rate, at most one has `isLeader()` true
 * at any moment: a leader stops regarding itself as one `renewWithinMs` after it *sent* its last
 * successful renewal, and others wait `leaseMs` after they *saw* it. The epoch of a term is above
 * the epochs of all terms before it.
 * Assumptions: a process that lost its Lease ends; its state cannot be trusted.
 * Not guaranteed: that a write begun as leader arrives while this process still leads. A process
 * may be suspended in between, so outside writes carry the epoch or a version.
 */
import { VarveError } from '#core/errors.ts';
import type { OperatorMetrics } from '#core/ports/metrics.ts';
import type { Log, Timers } from '#core/ports/platform.ts';
import { withinTime } from '../timers.ts';
import { LeaseHolding, type HoldingOptions, checkedLeaseSettings, RETRY_JITTER } from './lease.ts';

/** A process is not ready if no leader is known for this many durations of the Lease. */
const UNKNOWN_LEASES_MAX = 3;
/** A release helps the next leader, but shutdown does not wait long for it. */
const RELEASE_MS_MAX = 5_000;

/** One period of leadership. */
export interface Term {
  /** Fences outside writes; above every earlier term's epoch. */
  readonly epoch: number;
  /** Aborted the moment the Lease is lost. */
  readonly signal: AbortSignal;
}

/**
 * Options of an elector. `identity` must be unique to the process, past ones included: the
 * machine's name plus something random.
 */
interface ElectorOptions extends Omit<HoldingOptions, 'timer'> {
  readonly timers: Timers;
  readonly log: Log;
  readonly metrics: OperatorMetrics;
}

/** `Lost`: the process has to end. `Stopped`: `lead` has ended, or never began. */
export type ElectionEnd = 'Lost' | 'Stopped';

export class LeaderElector {
  readonly #options: ElectorOptions;
  readonly #lease: LeaseHolding;
  readonly #overtaken = new AbortController();
  #knownAt: number | null = null;

  /** @throws VarveError INVALID_INPUT if the settings contradict each other */
  constructor(options: ElectorOptions) {
    this.#options = { ...options, settings: checkedLeaseSettings(options.settings) };
    this.#lease = new LeaseHolding({ ...this.#options, timer: options.timers.timer });
  }

  /** Call it before each outside write. */
  isLeader(): boolean {
    return this.#lease.leftMs > 0 && !this.#overtaken.signal.aborted;
  }

  /** Ends the term at once, after a write met a later leader. `run` then resolves with `Lost`. */
  lose(): void {
    this.#overtaken.abort();
  }

  /** 0 while not leading. */
  epoch(): number {
    return this.isLeader() ? this.#lease.epoch : 0;
  }

  /** The known leader, for people; null if none is known. */
  leader(): string | null {
    return this.#lease.holder;
  }

  /** Whether any leader, including this process, was known within the last few Lease durations. */
  isLeaderKnown(): boolean {
    const now = this.#options.timers.timer();
    if (this.#lease.holder !== null) this.#knownAt = now;
    if (this.#knownAt === null) return false;
    return now - this.#knownAt <= UNKNOWN_LEASES_MAX * this.#options.settings.leaseMs;
  }

  /**
   * Waits to lead, then runs `lead` once. The signal ends the wait. `lead` ends on its own, and the
   * Lease is kept until then, so that it can drain. Then the Lease is released, and an error of
   * `lead` is rethrown. If the Lease is lost, resolves with `Lost` without waiting for `lead`.
   */
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
      // A Lease still held under this name would keep the next leader waiting.
      if (kept === 'Ended') await this.#release();
      return 'Lost';
    }
    await this.#release();
    const failure = await led;
    if (failure !== null) throw failure.error;
    return 'Stopped';
  }

  /** Returns whether this process leads; false if the signal came first. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { log, identity } = this.#options;
    let awaited: string | null = null;
    while (!signal.aborted) {
      await this.#attempt('looked at', signal, (within) => this.#lease.takeIfFree(within));
      this.#report();
      if (this.isLeader()) return true;
      const leader = this.leader();
      if (leader !== null && leader !== awaited) {
        log.info({ identity, leader }, 'another operator leads; waiting for its Lease');
        awaited = leader;
      }
      this.#lease.drop();
      await this.#pause(signal);
    }
    return false;
  }

  /** Resolves when the Lease is lost, or when it no longer needs to be kept. */
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

  /** Makes one try, never longer than the rest of the time to renew. A failure is only logged. */
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

  /** Waits for the next check, or until the time to renew is over if that is sooner. */
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
