/** A model that dreams: it reads MEMORY.md and daily files, and proposes what to keep long term. */
import type { Usage } from '../records/summary.ts';
import type { Source } from '../sources/source.ts';
import type { Subject } from '../subject.ts';
import type { ModelAnswer, Price } from './model.ts';

export interface DreamQuestion {
  /** Whose MEMORY.md it is. */
  readonly owner: Subject['kind'];
  /** The lines of MEMORY.md in order. `headings` is by line id; null above the first heading. */
  readonly memory: readonly Source[];
  readonly headings: ReadonlyMap<string, string | null>;
  /** The blocks of the daily files, oldest first. */
  readonly daily: readonly Source[];
  /** Ids of blocks that an earlier dream read: they give context and add nothing new. */
  readonly readBefore: ReadonlySet<string>;
  /** The most cl100k tokens that MEMORY.md may have. */
  readonly tokensMax: number;
}

export interface DreamModel {
  readonly name: string;
  /** Null where calls cost nothing and are not counted against a budget. */
  readonly price: Price | null;
  readonly inputTokensMax: number;
  readonly outputTokensMax: number;
  readonly revision: string;
  /** Upper bounds of what one call can use, as `SummaryModel.usageMax`. */
  usageMax(question: DreamQuestion): Usage;
  /**
   * Makes one call and never retries it. The text has the sections `[MEMORY]` and `[DREAM]`
   * (core/dreams/dream-answer.ts); nothing in it is trusted.
   * @throws VarveError RATE_LIMITED with `retryAfterMs`, PROVIDER_ERROR, PROVIDER_REJECTED, TIMEOUT
   */
  dream(
    question: DreamQuestion,
    call: { readonly attemptId: string; readonly signal: AbortSignal },
  ): Promise<ModelAnswer>;
}
