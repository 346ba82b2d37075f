/**
 * The platform's limits as the operator knows them. They are read from their ConfigMap, by its
 * name, when a caller asks and the known limits are old. Owned by the operator.
 *
 * Guarantees: without the ConfigMap nothing is limited; if it is wrong or cannot be read, the last
 * good limits stay in force and the problem is reported; if no limits are known, "no limits" is
 * never assumed.
 */
import { VarveError } from '#core/errors.ts';
import type { KubernetesApi, ResourceType } from '#core/ports/kubernetes-api.ts';
import type { OperatorMetrics } from '#core/ports/metrics.ts';
import type { Log, Timers } from '#core/ports/platform.ts';
import { LIMITS_NAME, NO_LIMITS, readLimits, type PlatformLimits } from '#crds/limit-values.ts';
import type { KnownLimits } from '../tenant/apply-platform-limits.ts';

/** Every tenant is checked once or twice a minute, so a change reaches all of them soon. */
export const LIMITS_AGE_MS_MAX = 30_000;

export const CONFIG_MAP: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  isNamespaced: true,
};

interface LimitsSourceOptions {
  readonly api: Pick<KubernetesApi, 'get'>;
  readonly releaseNamespace: string;
  readonly timers: Pick<Timers, 'timer'>;
  readonly log: Log;
  readonly metrics: Pick<OperatorMetrics, 'set'>;
}

export class LimitsSource {
  readonly #options: LimitsSourceOptions;
  #lastGood: PlatformLimits | null = null;
  #problem: string | null = null;
  #askedAt = -Infinity;
  /** Concurrent callers wait for the same read. */
  #reading: Promise<void> = Promise.resolve();

  constructor(options: LimitsSourceOptions) {
    this.#options = options;
  }

  /** @throws VarveError errors of the API server, while no limits are known */
  async known(): Promise<KnownLimits> {
    const now = this.#options.timers.timer();
    if (now - this.#askedAt >= LIMITS_AGE_MS_MAX) {
      this.#askedAt = now;
      this.#reading = this.#read();
    }
    await this.#reading;
    if (this.#lastGood !== null) return { kind: 'Known', limits: this.#lastGood };
    return { kind: 'Unknown', problem: this.#problem ?? '' };
  }

  /** The next caller reads them again. */
  expire(): void {
    this.#askedAt = -Infinity;
  }

  async #read(): Promise<void> {
    const { api, releaseNamespace: namespace } = this.#options;
    try {
      const object = await api.get(CONFIG_MAP, { namespace, name: LIMITS_NAME });
      const reading = readLimits(object?.['data']);
      if (reading.kind === 'Invalid') this.#keep(`${capital(reading.problem)}.`);
      else this.#take(object === null ? NO_LIMITS : reading.limits);
    } catch (error) {
      const isForbidden = error instanceof VarveError && error.code === 'FORBIDDEN';
      const isKept = isForbidden || this.#lastGood !== null;
      if (!isKept || !(error instanceof VarveError)) {
        this.expire();
        throw error;
      }
      this.#keep(isForbidden ? this.#forbidden() : error.message);
    }
  }

  #take(limits: PlatformLimits): void {
    const { log, metrics } = this.#options;
    if (this.#problem !== null) log.info({}, 'platform limits are readable again');
    this.#problem = null;
    // Equal limits stay one object, since many places keep a reference to them.
    if (JSON.stringify(limits) !== JSON.stringify(this.#lastGood)) this.#lastGood = limits;
    metrics.set('platform_limits_unreadable', {}, 0);
  }

  #keep(problem: string): void {
    const { log, metrics } = this.#options;
    const rest =
      this.#lastGood === null
        ? 'no tenant is changed until then'
        : 'the last good ones stay in force';
    if (problem !== this.#problem) {
      log.warn({ error: problem }, `platform limits cannot be read; ${rest}`);
    }
    this.#problem = problem;
    metrics.set('platform_limits_unreadable', {}, 1);
  }

  #forbidden(): string {
    const { releaseNamespace } = this.#options;
    return (
      `The operator may not get the ConfigMap ${LIMITS_NAME} in the namespace ` +
      `${releaseNamespace}; its Role has to allow that.`
    );
  }
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
