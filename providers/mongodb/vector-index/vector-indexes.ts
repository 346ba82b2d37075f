/**
 * The vector indexes of one database: creates missing ones, and watches those in use.
 *
 * Flow: `ensure`, at start, lists, compares, creates or updates, and waits for a bounded time;
 * `isUsable`, before a search, checks again now and then, and creates a missing index.
 * Guarantees: a search never relies on an index that is missing, behind or of another definition. A
 * missing index returns no rows and no error, so only the listing shows it.
 */
import { keepNewest } from '#core/keep-newest.ts';
import type { Clock, Log } from '#core/ports/platform.ts';
import type { Connection } from '../connection.ts';
import {
  vectorIndexName,
  desiredIndex,
  withFoundPaths,
  type DesiredIndex,
  indexFinding,
  indexVerdict,
  type IndexVerdict,
  type ListedIndex,
} from './index-definition.ts';
import { createIndex, listIndexes, updateIndex, type SearchOutcome } from './search-command.ts';

/** Polls while the start of Varve waits for an index, one every `POLL_MS`: a minute in all. */
export const POLLS_MAX = 12;
const POLL_MS = 5_000;
/** How long a listing stays valid; an index that fell behind is used no longer than this. */
export const CHECK_MS = 10_000;
/** A search that found nothing checks again sooner, since a missing index finds nothing. */
const EMPTY_CHECK_MS = 1_000;
/** Maximum generations of one database: each tenant has one, and another during a change. */
const GENERATIONS_MAX = 64;
/** Verdicts that waiting does not change. */
const SETTLED: ReadonlySet<IndexVerdict['kind']> = new Set(['Failed', 'Ready', 'Refused']);

interface VectorIndexOptions {
  readonly connection: Connection;
  readonly log: Log;
  readonly clock: Clock;
  /** Waits between two checks. */
  readonly pause: (milliseconds: number) => Promise<void>;
}

interface Known {
  readonly desired: DesiredIndex;
  readonly dimensions: number;
  readonly verdict: IndexVerdict;
  readonly checkedAt: number;
}

export class VectorIndexes {
  readonly #options: VectorIndexOptions;
  readonly #known = new Map<string, Known>();
  /** One check at a time for each generation. */
  readonly #checks = new Map<string, Promise<Known>>();

  constructor(options: VectorIndexOptions) {
    this.#options = options;
  }

  /** Length of the vectors of a generation; null where no index of it is known. */
  dimensionsOf(generation: string): number | null {
    return this.#known.get(generation)?.dimensions ?? null;
  }

  /** Makes the index if needed, and waits for it; the health check reports what takes longer. */
  async ensure(generation: string, dimensions: number): Promise<void> {
    const { log, pause } = this.#options;
    const index = vectorIndexName(generation);
    for (let polls = 0; ; polls += 1) {
      const { verdict } = await this.#check(generation, dimensions);
      if (SETTLED.has(verdict.kind)) return;
      if (polls === POLLS_MAX) {
        log.warn(
          { index, status: verdict.kind },
          'the vector index is not ready; continuing without it',
        );
        return;
      }
      log.info({ index, status: verdict.kind, polls }, 'waiting for the vector index');
      await pause(POLL_MS);
    }
  }

  /**
   * Whether queries may use the index of a generation.
   * @param foundNothing whether a search just now had no rows
   */
  async isUsable(generation: string, dimensions: number, foundNothing = false): Promise<boolean> {
    const known = this.#known.get(generation);
    const holdsMs = foundNothing ? EMPTY_CHECK_MS : CHECK_MS;
    const isFresh = known !== undefined && this.#options.clock() - known.checkedAt < holdsMs;
    const { verdict } = isFresh ? known : await this.#check(generation, dimensions);
    return verdict.kind === 'Ready';
  }

  /** Makes the next search check the listing first, after an index refused a query. */
  forget(generation: string): void {
    const known = this.#known.get(generation);
    if (known !== undefined) this.#known.set(generation, { ...known, checkedAt: -CHECK_MS });
  }

  /** Returns what is wrong with the indexes in use, and how to fix it. */
  async findings(): Promise<string[]> {
    const outcome = await listIndexes(this.#options.connection);
    return [...this.#known.values()].flatMap(({ desired, verdict: last }) => {
      const verdict = verdictNow(outcome, desired);
      const isRefused = verdict.kind === 'Missing' && last.kind === 'Refused';
      return indexFinding(isRefused ? last : verdict, desired) ?? [];
    });
  }

  #check(generation: string, dimensions: number): Promise<Known> {
    const running = this.#checks.get(generation);
    if (running !== undefined) return running;
    const check = this.#checkOnce(generation, dimensions).finally(() => {
      this.#checks.delete(generation);
    });
    this.#checks.set(generation, check);
    return check;
  }

  async #checkOnce(generation: string, dimensions: number): Promise<Known> {
    const desired = desiredIndex(generation, dimensions);
    const outcome = await listIndexes(this.#options.connection);
    const found = verdictNow(outcome, desired);
    const listed = outcome.kind === 'Answered' ? outcome.value : [];
    const verdict = await this.#repair(desired, found, listed);
    const known = { desired, dimensions, verdict, checkedAt: this.#options.clock() };
    keepNewest(this.#known, GENERATIONS_MAX, [generation, known]);
    return known;
  }

  /** Creates a missing index or updates an outdated one; returns the verdict after that. */
  async #repair(
    desired: DesiredIndex,
    verdict: IndexVerdict,
    listed: readonly ListedIndex[],
  ): Promise<IndexVerdict> {
    if (verdict.kind !== 'Missing' && verdict.kind !== 'Outdated') return verdict;
    const { connection, log } = this.#options;
    const { name, definition } = desired;
    const latest = listed.find((each) => each.name === name)?.latest;
    const outcome =
      verdict.kind === 'Missing'
        ? await createIndex(connection, desired)
        : await updateIndex(connection, { name, definition: withFoundPaths(latest, definition) });
    const error = outcome.kind === 'Refused' ? { error: outcome.reason } : {};
    const fields = { index: name, was: verdict.kind, outcome: outcome.kind, ...error };
    log.info(fields, 'creating the vector index');
    return outcome.kind === 'Refused' ? { kind: 'Refused', message: outcome.reason } : verdict;
  }
}

/** A search process that went away is reported by the health check, and may come back. */
function verdictNow(outcome: SearchOutcome<ListedIndex[]>, desired: DesiredIndex): IndexVerdict {
  if (outcome.kind === 'Answered') return indexVerdict(outcome.value, desired);
  if (outcome.kind === 'Refused') return { kind: 'Refused', message: outcome.reason };
  return { kind: 'Unreachable' };
}
