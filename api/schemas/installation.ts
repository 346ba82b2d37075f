/** What operations on the whole installation take and answer. */
import { z } from 'zod';
import type { RefreshReport } from '#core/refresh/refresh-contract.ts';
import { ERRORS, type ErrorCode } from '#core/error-codes.ts';
import { listOf, Tenant } from './shared-fields.ts';

export const NoInput = z.strictObject({}).nullish();

const Findings = listOf(z.string()).describe(
  'What is wrong, and how to fix it; empty if nothing is wrong.',
);

export const HealthAnswer = z.object({
  ok: z.boolean(),
  store: z.object({
    ok: z.boolean(),
    engine: z.string(),
    schemaVersion: z.int(),
    findings: Findings,
  }),
  retrieval: z.object({
    quality: z.enum(['keyword', 'semantic']),
    generation: z.string().describe('The embedder that makes new vectors.'),
  }),
  tokens: z.string().describe('The tokenizer that counts tokens.'),
  refresh: z.object({
    ok: z.boolean(),
    findings: Findings,
    by: z.enum(['inline', 'temporal']),
  }),
});

export const RefreshTenant = z.strictObject({
  tenant: Tenant,
  kind: z
    .enum(['Due', 'Stale'])
    .default('Stale')
    .describe('`Due`: only what is due. `Stale`: every summary that is not up to date.'),
});

export const RefreshAnswer = z.object({
  rounds: z.int(),
  batches: z.int(),
  generated: z.int(),
  unchanged: z.int(),
  emptied: z.int(),
  refused: z.int(),
  advanced: z.int().describe('Unfinished large scopes, which the next round continues.'),
  modelCalls: z
    .number()
    .describe('Number of model calls that were charged; summaries without a model need none.'),
  inputTokens: z.int().describe('Tokens that models read in these calls.'),
  outputTokens: z.int().describe('Tokens that models wrote in these calls.'),
  failures: listOf(
    z.object({
      code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
      batches: z
        .number()
        .describe('0 if scopes have waited since an earlier call, or wait after a refused answer.'),
      message: z
        .string()
        .describe('For the first of these failures: what was wrong, and what to do.'),
    }),
  ).describe('Number of released batches by reason; they are retried when they are due.'),
}) satisfies z.ZodType<RefreshReport>;
