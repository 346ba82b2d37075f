/** The first answer to an idempotency key: ids and versions, never text, which is read again. */
import { z } from 'zod';
import { VarveError } from '../errors.ts';
import { isErrorCode, type ErrorCode } from '../error-codes.ts';
import { Layer } from '../layer.ts';

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
