/** Operations on summaries and on their dead letters. */
import * as schemas from '../schemas/summary.ts';
import type { z } from 'zod';
import { FRESH_EXAMPLE } from '../schemas/shared-answers.ts';
import { countRetrieval, listSummaries, readSummary } from '../summaries.ts';
import { operation } from './operation.ts';
import { resolveScope } from '#core/resolve-scope.ts';
import { policyInForce } from '#core/policy/policy-in-force.ts';
import { applyRetry } from '#core/refresh/retries-and-dead-letters.ts';
import { variantReadingOf } from '../read-variant.ts';
import { authorize, authorizedScope } from '../principal.ts';
import { requestTenantRefresh } from '../request-tenant-refresh.ts';
import { changeScopes, chosenScopes } from '#memory/change-many-scopes.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';

const SENTENCE = {
  text: 'Dana prefers answers that begin with the decision.',
  sources: ['019aa5c2-7c1e-7b52-9f0e-6a1f0b1583cb'],
  trust: 'stated' as const,
  sinceThen: false,
};
const DEPTH = { text: SENTENCE.text, tokens: 8, sentences: [SENTENCE], cut: false };
const METADATA: z.output<typeof schemas.ServedMetadata> = {
  id: '019aa5c9-1111-7a52-8f0e-000000000001',
  layer: 'user',
  scopeId: 'dana',
  facts: [
    {
      text: SENTENCE.text,
      sources: SENTENCE.sources,
      quote: null,
      speaker: null,
      trust: 'stated',
      at: 1_795_273_200_000,
    },
  ],
  sourceHash: '8c6a1f0b1583cb00',
  sourceCount: 8,
  model: 'extractive',
  usage: { inputTokens: 156, outputTokens: 37 },
  priceMicroDollars: 0,
  generatedAt: 1_795_273_260_000,
  checkedAt: 1_795_273_260_000,
  personalized: false,
  freshness: FRESH_EXAMPLE,
};

export const summary = {
  get: operation({
    name: 'summary.get',
    kind: 'query',
    summary: 'Returns the summary of one layer at one depth, or null if there is none yet.',
    input: schemas.GetSummary,
    output: schemas.SummaryAnswer.nullable(),
    example: {
      input: {
        tenant: 'acme',
        layer: 'user',
        identifiers: { userId: 'dana' },
        depth: 'sentence',
      },
      output: { ...METADATA, ...DEPTH },
    },
    role: 'read',
    errors: ['INVALID_LAYER', 'MISSING_IDENTIFIER'],
    commands: {
      none: 'varve summaries show prints the longest text, and varve demo each depth.',
    },
    /** Null also for a depth that is not configured (SUM-07). */
    async run(ports, principal, { tenant, layer, identifiers, depth }) {
      authorize(principal, { tenant, identifiers });
      const policy = await policyInForce(ports.store.policies, tenant);
      const named = resolveScope(tenant, layer, { identifiers, hierarchy: policy.hierarchy });
      const scope = authorizedScope(principal, named);
      const reading = variantReadingOf(principal, { policy, identifiers });
      const read = await readSummary(ports, reading, scope);
      const { summary } = read;
      const text = summary?.depths[depth];
      countRetrieval(ports, read, text === undefined ? null : depth);
      if (summary === null || text === undefined) return null;
      const { depths: _depths, ...metadata } = summary;
      return { ...metadata, ...text };
    },
  }),
  list: operation({
    name: 'summary.list',
    kind: 'query',
    summary:
      'Lists the summaries of all layers that the identifiers open, the more ' +
      'specific first, and says how fresh each one is.',
    input: schemas.ListSummaries,
    output: schemas.ListedSummaries,
    example: {
      input: { tenant: 'acme', identifiers: { userId: 'dana' } },
      output: {
        summaries: [
          {
            scope: { tenant: 'acme', layer: 'user', scopeId: 'dana' },
            summary: { ...METADATA, depths: { sentence: DEPTH } },
            freshness: FRESH_EXAMPLE,
            contextVector: null,
            relevance: null,
          },
        ],
        skippedLayers: ['agent', 'session', 'project', 'team', 'org', 'company'],
      },
    },
    role: 'read',
    cost: 'embedding',
    commands: ['summaries show', 'demo', 'import', 'export'],
    run: listSummaries,
  }),
  deadLetters: operation({
    name: 'summary.deadLetters',
    kind: 'query',
    summary: 'Lists the dead letters: scopes that failed three times, the oldest first.',
    input: schemas.ListDeadLetters,
    output: schemas.DeadLetters,
    example: {
      input: { tenant: 'acme' },
      output: {
        deadLetters: [
          {
            layer: 'project',
            scopeId: 'checkout',
            code: 'MODEL_OUTPUT_INVALID',
            reason: 'The answer of the model is no JSON.',
            since: 1_795_273_200_000,
            changes: 3,
          },
        ],
        total: 1,
      },
    },
    role: 'operate',
    commands: ['summaries dead-letters'],
    async run(ports, _, { tenant, limit }) {
      const all: schemas.DeadLetter[] = [];
      for await (const record of chosenScopes(ports, { tenant })) all.push(...deadLetterOf(record));
      all.sort((a, b) => a.since - b.since);
      return { deadLetters: all.slice(0, limit), total: all.length };
    },
  }),
  retry: operation({
    name: 'summary.retry',
    kind: 'mutation',
    summary: 'Makes dead letters due again: all of a tenant, those of a layer, or one.',
    input: schemas.RetryDeadLetters,
    output: schemas.Retried,
    example: { input: { tenant: 'acme', layer: 'project' }, output: { retried: 1 } },
    role: 'operate',
    commands: ['summaries retry'],
    /** Scopes that wait after a failure or for budget keep waiting. */
    async run(ports, principal, { tenant, layer, scopeId }) {
      const retried = await changeScopes(ports, { tenant, layer, scopeId }, applyRetry);
      if (retried > 0) {
        const { platform, store } = ports;
        await store.events.append({
          tenant,
          id: platform.newId(),
          at: platform.clock(),
          type: 'memory_refresh_retried',
          attributes: { scopes: retried, principal: principal.name },
        });
        await requestTenantRefresh(ports, tenant);
      }
      return { retried };
    },
  }),
};

function deadLetterOf({ layer, scopeId, deadLetter, changes }: ScopeRecord): schemas.DeadLetter[] {
  if (deadLetter === null) return [];
  const { code, reason, at: since } = deadLetter;
  return [{ layer, scopeId, code, reason, since, changes }];
}
