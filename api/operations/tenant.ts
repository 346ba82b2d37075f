/** The operation that tells the state of a tenant. */
import { GetTenant, TenantAnswer } from '../schemas/tenant.ts';
import { operation } from './operation.ts';
import { dropAt } from '#core/embedding/reembed-transitions.ts';
import { ModelClass } from '#core/records/model-class.ts';
import type { PolicyModels, PolicyRecord } from '#core/records/policy.ts';
import type { ApiPorts } from '../api-ports.ts';

/** Part of the group `tenant`. */
export const tenantState = {
  get: operation({
    name: 'tenant.get',
    kind: 'query',
    summary:
      'Returns which resource declares a tenant, whether it was released and will be erased, ' +
      'which models serve it, and how far a change of the embedding model is.',
    input: GetTenant,
    output: TenantAnswer,
    example: {
      input: { tenant: 'acme' },
      output: {
        tenant: 'acme',
        declaredBy: {
          cluster: 'folder',
          namespace: 'default',
          name: 'acme',
          generation: 3,
          appliedAt: 1_795_273_200_000,
        },
        releasedAt: null,
        erasesAt: null,
        models: [
          {
            modelClass: 'economy',
            provider: 'gateway',
            model: 'small',
            state: 'Unavailable',
            code: 'PROVIDER_REJECTED',
            since: 1_795_273_200_000,
          },
        ],
        embeddings: {
          active: 'lexical-384-1',
          target: 'openai-text-embedding-3-small-1536',
          phase: 'Filling',
          dropping: null,
          keptUntil: null,
          done: 940,
          missing: 260,
        },
      },
    },
    role: 'operate',
    commands: { none: 'varve plan and varve embeddings status show it for every tenant.' },
    async run(ports, _, { tenant }) {
      const record = await ports.store.policies.get(tenant);
      const { releasedAt = null, erasesAt = null } = record ?? {};
      return {
        tenant,
        declaredBy: record === null ? null : declarationOf(record),
        releasedAt,
        erasesAt,
        models: await modelsOf(ports, record?.policy.models),
        embeddings: await embeddingsOf(ports, tenant),
      };
    },
  }),
};

function declarationOf({ owner, generation, appliedAt }: PolicyRecord): TenantAnswer['declaredBy'] {
  const { cluster, namespace, name } = owner;
  return { cluster, namespace, name, generation, appliedAt };
}

async function modelsOf(
  { store }: Pick<ApiPorts, 'store'>,
  chosen: PolicyModels | undefined,
): Promise<TenantAnswer['models']> {
  const models = ModelClass.options.map(async (modelClass) => {
    const choice = chosen?.[modelClass] ?? null;
    if (choice === null) return [];
    const { provider, model } = choice;
    const check = (await store.modelProviders.get(provider))?.check ?? UNCHECKED;
    const { state, code, since } = check;
    return [{ modelClass, provider, model, state, code, since }];
  });
  return (await Promise.all(models)).flat();
}

const UNCHECKED = { state: 'Unchecked', code: null, since: null } as const;

async function embeddingsOf(
  { store, platform }: Pick<ApiPorts, 'store' | 'platform'>,
  tenant: string,
): Promise<TenantAnswer['embeddings']> {
  const state = await store.embeddings.state(tenant);
  if (state === null) return null;
  const { active, target, phase, dropping } = state;
  const query = { generation: target ?? active, now: platform.clock() };
  const { done, missing } = await store.embeddings.progress(tenant, query);
  const isKept = dropping !== null && state.keepOldMs > 0;
  const keptUntil = isKept ? dropAt(state) : null;
  return { active, target, phase, dropping, keptUntil, done, missing };
}
