/** Operations on the whole installation: its health, and a refresh ahead of schedule. */
import { z } from 'zod';
import type { RefreshReport } from '#core/refresh/refresh-contract.ts';
import { ERRORS, type ErrorCode } from '#core/errors.ts';
import { health as readHealth } from '../health.ts';
import { refreshTenant } from '../refresh.ts';
import { listOf, Tenant } from './fields.ts';
import { operation } from './operation.ts';

const NoInput = z.strictObject({}).nullish();

const Findings = listOf(z.string()).describe(
  'What is wrong and how to fix it; empty if nothing is.',
);

const HealthAnswer = z.object({
  ok: z.boolean(),
  store: z.object({
    ok: z.boolean(),
    engine: z.string(),
    schemaVersion: z.number(),
    findings: Findings,
  }),
  retrieval: z.object({
    quality: z.enum(['keyword', 'semantic']),
    generation: z.string().describe('What new vectors are made by.'),
  }),
  tokens: z.string().describe('What counts tokens.'),
  refresh: z.object({
    ok: z.boolean(),
    findings: Findings,
    by: z.enum(['inline', 'temporal']),
  }),
});
export type HealthAnswer = z.output<typeof HealthAnswer>;

const RefreshTenant = z.strictObject({
  tenant: Tenant,
  kind: z
    .enum(['Due', 'Stale'])
    .default('Stale')
    .describe('Due: only what is due. Stale: every summary that is not up to date.'),
});
export type RefreshTenant = z.output<typeof RefreshTenant>;

const RefreshAnswer = z.object({
  rounds: z.number(),
  batches: z.number(),
  generated: z.number(),
  unchanged: z.number(),
  emptied: z.number(),
  refused: z.number(),
  advanced: z.number().describe('Items of large scopes that came nearer to their summary.'),
  modelCalls: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  failures: listOf(
    z.object({
      code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
      batches: z.number(),
      message: z.string().describe('Of the first of them: what was wrong, and what to do.'),
    }),
  ).describe('Batches that were given back, by reason; they are tried again when they are due.'),
}) satisfies z.ZodType<RefreshReport>;

export const installation = {
  health: operation({
    name: 'health',
    kind: 'query',
    summary: 'Whether every part works.',
    input: NoInput,
    output: HealthAnswer,
    example: {
      input: undefined,
      output: {
        ok: true,
        store: { ok: true, engine: 'sqlite', schemaVersion: 6, findings: [] },
        retrieval: { quality: 'keyword', generation: 'lexical-v1' },
        tokens: 'gpt-tokenizer',
        refresh: { ok: true, findings: [], by: 'inline' },
      },
    },
    role: 'read',
    cost: 'none',
    errors: [],
    commands: { none: 'varve doctor looks at every part itself, also where nothing runs.' },
    run: (ports) => readHealth(ports),
  }),
  refresh: operation({
    name: 'refresh',
    kind: 'mutation',
    summary: 'Regenerates every stale summary of a tenant, or only those that are due.',
    input: RefreshTenant,
    output: RefreshAnswer,
    example: {
      input: { tenant: 'acme' },
      output: {
        rounds: 2,
        batches: 1,
        generated: 3,
        unchanged: 0,
        emptied: 0,
        refused: 0,
        advanced: 0,
        modelCalls: 0,
        inputTokens: 0,
        outputTokens: 0,
        failures: [],
      },
    },
    role: 'operate',
    cost: 'modelCalls',
    errors: ['BUDGET_EXHAUSTED'],
    commands: { none: 'varve start refreshes on its own.' },
    run: refreshTenant,
  }),
};
