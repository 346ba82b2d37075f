/**
 * What a platform administrator may write into the ConfigMap of limits, and its meaning: the
 * patterns that the API server uses (crds/platform-limits.ts), and the values that the operator
 * reads.
 */
import { DURATION_PATTERN, parseDuration } from '#core/duration.ts';
import { isModelClass, type ModelClass } from '#core/records/model-class.ts';
import { POLICY_MS_MAX } from '#core/records/policy.ts';
import { parseDollars } from './duration-and-price-fields.ts';

export const LIMITS_NAME = 'varve-platform-limits';

export type LimitKey =
  | 'largestBudgetDollars'
  | 'largestBudgetTokens'
  | 'leastInterval'
  | 'modelClasses'
  | 'models';

/** The form of each value in the ConfigMap. */
export const LIMIT_FORMS: Readonly<Record<LimitKey, { pattern: string; expected: string }>> = {
  largestBudgetDollars: {
    pattern: String.raw`^[0-9]{1,9}(?:\.[0-9]{1,6})?$`,
    expected: 'an amount in dollars such as 100.00',
  },
  largestBudgetTokens: { pattern: '^[0-9]{1,13}$', expected: 'a whole number' },
  leastInterval: { pattern: DURATION_PATTERN.source, expected: 'a duration such as 30m' },
  modelClasses: {
    pattern: String.raw`^\s*(?:economy|standard)(?:[\s,]+(?:economy|standard))*\s*$`,
    expected: 'economy, standard or both',
  },
  models: {
    pattern: String.raw`^\s*[!-+\x2d-~]+(?:[\s,]+[!-+\x2d-~]+)*\s*$`,
    expected: 'names of models',
  },
};

/** Null means no limit. */
export interface PlatformLimits {
  readonly largestBudgetMicroDollars: number | null;
  readonly largestBudgetTokens: number | null;
  readonly leastIntervalMs: number | null;
  /** At least one. */
  readonly modelClasses: readonly ModelClass[] | null;
  /** Names of models from ModelProviders. */
  readonly models: readonly string[] | null;
}

export const NO_LIMITS: PlatformLimits = {
  largestBudgetMicroDollars: null,
  largestBudgetTokens: null,
  leastIntervalMs: null,
  modelClasses: null,
  models: null,
};

type LimitsReading =
  | { readonly kind: 'Valid'; readonly limits: PlatformLimits }
  /** @property problem which key is wrong, and what was expected; never the value */
  | { readonly kind: 'Invalid'; readonly problem: string };

/**
 * @param data of the ConfigMap; anything but an object has no limits, and unknown keys are ignored
 */
export function readLimits(data: unknown): LimitsReading {
  const texts = new Map(Object.entries(typeof data === 'object' && data !== null ? data : {}));
  for (const key of Object.keys(LIMIT_FORMS) as LimitKey[]) {
    const text: unknown = texts.get(key);
    if (text === undefined) continue;
    const isRight = typeof text === 'string' && new RegExp(LIMIT_FORMS[key].pattern).test(text);
    if (!isRight) return { kind: 'Invalid', problem: limitProblem(key) };
  }
  const of = <T>(key: LimitKey, read: (text: string) => T): T | null => {
    const text: unknown = texts.get(key);
    return typeof text === 'string' ? read(text) : null;
  };
  return {
    kind: 'Valid',
    limits: {
      largestBudgetMicroDollars: of('largestBudgetDollars', parseDollars),
      largestBudgetTokens: of('largestBudgetTokens', Number),
      leastIntervalMs: of('leastInterval', millisOf),
      modelClasses: of('modelClasses', (text) => wordsOf(text).filter(isModelClass)),
      models: of('models', wordsOf),
    },
  };
}

export function limitProblem(key: LimitKey): string {
  return `the key ${key} of the ConfigMap ${LIMITS_NAME} is not ${LIMIT_FORMS[key].expected}`;
}

/**
 * Returns null for no limit: an empty text, which the pattern allows, or 0s. Capped at the longest
 * time of a policy.
 */
function millisOf(text: string): number | null {
  const millis = parseDuration(text) ?? 0;
  return millis === 0 ? null : Math.min(millis, POLICY_MS_MAX);
}

/** Splits names at commas or white space. */
function wordsOf(text: string): readonly string[] {
  return text.split(/[\s,]+/u).filter((word) => word !== '');
}
