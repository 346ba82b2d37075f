/** The first answer to an idempotency key: ids and versions, never text, which is read again. */
import { z } from 'zod';
import { VarveError } from '../errors.ts';
import { isErrorCode, type ErrorCode } from '../error-codes.ts';
import { Layer } from '../layer.ts';
import { RULES_REASONS, STATEMENT_KINDS } from './extracted-statement.ts';

export const WrittenAnswer = z.strictObject({
  id: z.string(),
  version: z.int().min(1),
  embeddingGenerated: z.boolean(),
  deduplicated: z.boolean(),
});
export type WrittenAnswer = z.infer<typeof WrittenAnswer>;

/** The scope that lost a memory; null if there was no such memory. */
export const DeletedAnswer = z.strictObject({ layer: Layer, scopeId: z.string() }).nullable();
export type DeletedAnswer = z.infer<typeof DeletedAnswer>;

/** What a message became that `memory.addMessages` had a model read. */
export const ReadAnswer = z.strictObject({
  /** Why rules read it instead; null if they did not. */
  reason: z.enum(RULES_REASONS).nullable(),
  /** The memories that say what it says. */
  kept: z.array(z.strictObject({ id: z.string(), kind: z.enum(STATEMENT_KINDS), layer: Layer })),
});
export type ReadAnswer = z.infer<typeof ReadAnswer>;

export const FailedAnswer = z.strictObject({
  code: z.custom<ErrorCode>(isErrorCode),
  message: z.string(),
  details: z.record(z.string(), z.unknown()),
});
export type FailedAnswer = z.infer<typeof FailedAnswer>;

export function failedAnswer({ code, message, details }: VarveError): FailedAnswer {
  return { code, message, details };
}

export function failureAgain({ code, message, details }: FailedAnswer): VarveError {
  return new VarveError(code, message, { details });
}
