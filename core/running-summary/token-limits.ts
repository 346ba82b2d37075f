/** The token limits of a conversation with a running summary, and the errors about them. */
import { VarveError } from '../errors.ts';

export interface TokenLimits {
  /** The most tokens of the remaining list, including its summary. */
  readonly maxTokens: number;
  /** Messages are summarized once they have more tokens than this. */
  readonly maxTokensBeforeSummary: number;
  /** Tokens to keep free for the summary. */
  readonly maxSummaryTokens: number;
}

/** @throws VarveError INVALID_INPUT for limits that leave no room */
export function checkLimits({ maxTokens, maxTokensBeforeSummary, maxSummaryTokens }: TokenLimits) {
  const whole = { maxTokens, maxTokensBeforeSummary, maxSummaryTokens };
  for (const [name, value] of Object.entries(whole)) {
    const least = name === 'maxTokens' ? 1 : 0;
    if (Number.isInteger(value) && value >= least) continue;
    throw new VarveError(
      'INVALID_INPUT',
      `${name} is ${String(value)}. Expected a whole number of tokens from ${String(least)}.`,
      { details: { field: name } },
    );
  }
  if (maxSummaryTokens < maxTokens) return;
  throw new VarveError(
    'INVALID_INPUT',
    `maxSummaryTokens (${String(maxSummaryTokens)}) leaves nothing of maxTokens ` +
      `(${String(maxTokens)}). Set maxSummaryTokens below maxTokens.`,
  );
}

/**
 * Returns the error for a part that must stay but does not fit: the part, what it needs, the limit.
 */
export function partTooLarge(
  part: string,
  { required, limit }: { required: number; limit: number },
): VarveError {
  return new VarveError(
    'CONTEXT_LIMIT_TOO_SMALL',
    `What must stay needs ${String(required)} tokens; maxTokens is ${String(limit)}. ` +
      `Too large: the ${part}. Raise maxTokens, or shorten the ${part}.`,
    { details: { part, required, limit } },
  );
}
