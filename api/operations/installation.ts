/** Operations on the whole installation: its health, and a refresh ahead of schedule. */
import { VarveError } from '#core/errors.ts';
import { HealthAnswer, NoInput, RefreshAnswer, RefreshTenant } from '../schemas/installation.ts';
import { operation } from './operation.ts';
import { NO_TOTALS } from '#core/refresh/refresh-contract.ts';
import type { RefreshHealth } from '#core/ports/refresh-trigger.ts';

export const installation = {
  health: operation({
    name: 'health',
    kind: 'query',
    summary: 'Checks whether every part works.',
    input: NoInput,
    output: HealthAnswer,
    example: {
      input: undefined,
      output: {
        ok: true,
        store: { ok: true, engine: 'SQLite 3.53.4', schemaVersion: 1, findings: [] },
        retrieval: { quality: 'keyword', generation: 'lexical-384-1' },
        tokens: 'cl100k (gpt-tokenizer)',
        refresh: { ok: true, findings: [], by: 'inline' },
      },
    },
    role: 'read',
    commands: { none: 'varve doctor checks every part itself, even if nothing runs.' },
    async run(ports) {
      const { refreshHealth } = ports;
      const [store, { quality, generation }, refresh] = await Promise.all([
        ports.store.health(),
        ports.embedders.configured(),
        refreshHealth === null ? INLINE : refreshHealth(),
      ]);
      return {
        ok: store.ok && refresh.ok,
        store,
        retrieval: { quality, generation },
        tokens: ports.tokens.name,
        refresh: {
          ...refresh,
          by: refreshHealth === null ? ('inline' as const) : ('temporal' as const),
        },
      };
    },
  }),
  refresh: operation({
    name: 'refresh',
    kind: 'mutation',
    summary: 'Regenerates every stale summary of a tenant, or only those that are due.',
    input: RefreshTenant,
    output: RefreshAnswer,
    example: {
      input: { tenant: 'acme' },
      output: { ...NO_TOTALS, rounds: 2, batches: 1, generated: 3, failures: [] },
    },
    role: 'operate',
    cost: 'modelCalls',
    errors: ['BUDGET_EXHAUSTED'],
    commands: ['summaries refresh'],
    async run({ refreshHere }, _, { tenant, kind }) {
      if (refreshHere !== null) return refreshHere(tenant, kind);
      const message = 'Workers refresh summaries here when they are due; no call is needed.';
      throw new VarveError('PROVIDER_REJECTED', message);
    },
  }),
};

const INLINE: RefreshHealth = { ok: true, findings: [] };
