/** The sentences of conditions: a table of situations for each kind. */
import { describe, expect, test } from 'vitest';
import { openAccount } from '#core/budget/budget-account.ts';
import type { ModelClass } from '#core/records/model-class.ts';
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import type { Account } from '#core/records/account.ts';
import { ModelProvider } from '#crds/model-provider.ts';
import {
  type ConditionState,
  PAUSED_ANNOTATION,
  conditionState,
  statusConditions,
} from '#operator/tenant/metadata-and-conditions.ts';
import {
  layerPolicyConditions,
  type LayerPolicyView,
} from '#operator/cluster/reconcile-layer-policy.ts';
import {
  planProvider,
  providerStatus,
  type DeclaredEmbedding,
} from '#operator/cluster/reconcile-provider.ts';
import { readObject } from '#crds/read-object.ts';
import type { StoredTenant } from '#operator/cluster/stored-tenant.ts';
import { tenantConditions, type TenantView } from '#operator/cluster/tenant-conditions.ts';
import { digest, NOW } from '../policy-store.ts';
import {
  DELETING,
  layerPolicyObject,
  NAMESPACE,
  observation,
  OWNER,
  providerObject,
  recordOf,
  seenPolicy,
  tenantObject,
} from './resources.ts';

const PAUSED = { [PAUSED_ANNOTATION]: 'true' };
const RELEASE = 'varve';
const { policy } = recordOf(observation(tenantObject({ budget: { tokens: 100 } })));
const MODELS = { economy: null, standard: { provider: 'local', model: 'small' } };
const account = openAccount('acme', '2026-11', policy.budget);

function facts(differing: Partial<StoredTenant> = {}): StoredTenant {
  return {
    account,
    isComplete: true,
    fresh: 3,
    stale: 0,
    dead: 0,
    waitingForBudget: 0,
    lastRefreshAt: null,
    nextRefreshAt: null,
    layers: {},
    lastError: null,
    dreams: { schedules: [], isWaiting: false },
    providers: [],
    ...differing,
  };
}

function view(differing: Partial<TenantView> = {}): TenantView {
  return {
    place: { namespace: NAMESPACE, name: 'acme' },
    tenant: 'acme',
    releaseNamespace: RELEASE,
    outcome: { kind: 'InForce', applied: { changes: [], unserved: [] } },
    policy,
    facts: facts(),
    isTemporalAway: false,
    ...differing,
  };
}

function spent(tokens: number, differing: Partial<Account> = {}): TenantView {
  const used = { ...account, spent: { tokens, microDollars: 0 }, ...differing };
  return view({ facts: facts({ account: used }) });
}

function provided(record: ModelProviderRecord | null): TenantView {
  const providers = record === null ? [] : [record];
  return view({ policy: { ...policy, models: MODELS }, facts: facts({ providers }) });
}

function limitedTo(unserved: readonly ModelClass[]): TenantView {
  const outcome = { kind: 'InForce', applied: { changes: [], unserved } } as const;
  return { ...provided(null), outcome };
}

const CLAIMED = { kind: 'Claimed', owner: OWNER } as const;
const NAMED = { kind: 'Invalid', report: 'spec: expected a mapping, found nothing.' } as const;

/** Condition, status and reason, and what its message has in it. */
type Row = readonly [string, Record<string, ConditionState>, readonly [string, string, string]];

const TENANTS: readonly Row[] = [
  [
    'a stale tenant reports that Temporal is unavailable',
    { ...tenantConditions(view({ facts: facts({ stale: 1 }), isTemporalAway: true })) },
    ['Fresh', 'False TemporalUnavailable', 'resumes once Temporal answers'],
  ],
  [
    'a fresh tenant does not report that Temporal is unavailable',
    { ...tenantConditions(view({ isTemporalAway: true })) },
    ['Fresh', 'True Fresh', ''],
  ],
  ['a tenant in force is ready', { ...tenantConditions(view()) }, ['Ready', 'True InForce', '']],
  [
    'an invalid spec names the command that fixes it',
    { ...tenantConditions(view({ outcome: { ...NAMED, isKept: true } })) },
    ['Accepted', 'False InvalidSpec', 'kubectl edit memorytenant acme -n team-a'],
  ],
  [
    'an invalid spec leaves the last valid policy in force',
    { ...tenantConditions(view({ outcome: { ...NAMED, isKept: true } })) },
    ['Ready', 'False InvalidSpec', 'The last valid policy stays in force.'],
  ],
  [
    'an invalid first version reports that nothing was applied',
    { ...tenantConditions(view({ outcome: { ...NAMED, isKept: false } })) },
    ['Accepted', 'False InvalidSpec', 'Nothing was applied.'],
  ],
  [
    'a tenant of another owner names that owner',
    { ...tenantConditions(view({ outcome: { ...CLAIMED, isReleased: false }, facts: null })) },
    ['Ready', 'False TenantClaimed', 'kubectl describe memorytenant acme -n team-a'],
  ],
  [
    'a released tenant of another owner names who may claim it',
    { ...tenantConditions(view({ outcome: { ...CLAIMED, isReleased: true }, facts: null })) },
    ['Accepted', 'False TenantClaimed', 'Only a MemoryTenant in that cluster and namespace'],
  ],
  [
    'a released tenant of another namespace names the command that moves it here',
    { ...tenantConditions(view({ outcome: { ...CLAIMED, isReleased: true }, facts: null })) },
    ['Ready', 'False TenantClaimed', 'varve tenants move --tenant acme --to-namespace team-a'],
  ],
  [
    'a tenant of another owner does not report its freshness',
    { ...tenantConditions(view({ outcome: { ...CLAIMED, isReleased: false }, facts: null })) },
    ['Fresh', 'Unknown NotKnown', ''],
  ],
  [
    'a paused tenant is not ready and names the command to resume it',
    { ...tenantConditions(view({ outcome: { kind: 'Paused' } })) },
    ['Ready', 'False Paused', `kubectl annotate memorytenant acme -n team-a ${PAUSED_ANNOTATION}-`],
  ],
  [
    'a tenant paused from the start is not accepted yet',
    { ...tenantConditions(view({ outcome: { kind: 'Paused' }, policy: null, facts: null })) },
    ['Accepted', 'False Paused', 'Nothing was applied yet.'],
  ],
  [
    'a tenant without summaries is fresh',
    { ...tenantConditions(view({ facts: facts({ fresh: 0 }) })) },
    ['Fresh', 'True NothingToSummarize', ''],
  ],
  [
    'a stale summary is reported without a changing number',
    { ...tenantConditions(view({ facts: facts({ stale: 1 }) })) },
    ['Fresh', 'False Stale', 'status.freshness counts them'],
  ],
  [
    'freshness is unknown while scopes are still being counted',
    { ...tenantConditions(view({ facts: facts({ isComplete: false }) })) },
    ['Fresh', 'Unknown StillCounting', 'The checked ones are fresh'],
  ],
  [
    'a tenant is ready while its scopes are still being counted',
    { ...tenantConditions(view({ facts: facts({ isComplete: false }) })) },
    ['Ready', 'True InForce', ''],
  ],
  [
    'a stale scope is reported before all scopes are counted',
    { ...tenantConditions(view({ facts: facts({ isComplete: false, stale: 1 }) })) },
    ['Fresh', 'False Stale', ''],
  ],
  [
    'a count of zero so far does not mean nothing to summarize',
    { ...tenantConditions(view({ facts: facts({ isComplete: false, fresh: 0 }) })) },
    ['Fresh', 'Unknown StillCounting', ''],
  ],
  [
    'a stale summary does not make a tenant unready',
    { ...tenantConditions(view({ facts: facts({ stale: 1 }) })) },
    ['Ready', 'True InForce', ''],
  ],
  [
    'dead-lettered summaries name the command that retries them',
    { ...tenantConditions(view({ facts: facts({ stale: 1, dead: 1 }) })) },
    ['Fresh', 'False DeadLettered', 'varve summaries retry --tenant acme'],
  ],
  [
    'a budget with room is available',
    { ...tenantConditions(spent(99)) },
    ['BudgetAvailable', 'True WithinLimit', ''],
  ],
  [
    'an exhausted budget names the command that grants more',
    { ...tenantConditions(spent(100)) },
    ['BudgetAvailable', 'False BudgetExhausted', 'varve budget grant --tenant acme'],
  ],
  [
    'an exhausted budget is available again in the next period',
    { ...tenantConditions(spent(100)) },
    ['Ready', 'False BudgetExhausted', 'until the period ends, the resource allows more'],
  ],
  [
    'a budget of 0 never is, unless the resource or a grant allows more',
    { ...tenantConditions(spent(0, { limitTokens: 0 })) },
    ['Ready', 'False BudgetExhausted', 'is 0, so no model is called. Refreshes are'],
  ],
  [
    'reserved budget counts as used',
    {
      ...tenantConditions(
        spent(90, {
          open: [{ attemptId: 'a', amount: { tokens: 10, microDollars: 0 }, at: NOW }],
        }),
      ),
    },
    ['Ready', 'False BudgetExhausted', ''],
  ],
  [
    'a grant adds to the limit',
    { ...tenantConditions(spent(100, { granted: { tokens: 1, microDollars: 0 } })) },
    ['BudgetAvailable', 'True WithinLimit', ''],
  ],
  [
    'a scope waiting for budget marks it as exhausted, whatever is left',
    { ...tenantConditions(view({ facts: facts({ waitingForBudget: 1 }) })) },
    ['BudgetAvailable', 'False BudgetExhausted', 'Refreshes are refused'],
  ],
  [
    'a tenant without a limit always has budget',
    {
      ...tenantConditions(view({ facts: facts({ account: { ...account, limitTokens: null } }) })),
    },
    ['BudgetAvailable', 'True NoLimit', ''],
  ],
  [
    'a tenant without a provider uses the models of the installation',
    { ...tenantConditions(view()) },
    ['ModelAvailable', 'True InstallationModels', ''],
  ],
  [
    'allowed classes that no provider serves are reported',
    { ...tenantConditions(limitedTo(['economy'])) },
    ['ModelAvailable', 'False AllowedClassNotServed', 'only models of class economy'],
  ],
  [
    'a provider not checked yet counts as available',
    { ...tenantConditions(provided(checked(null))) },
    ['ModelAvailable', 'True Available', 'ModelProvider local'],
  ],
  [
    'an unavailable provider names the command that shows it',
    { ...tenantConditions(provided(checked('Unavailable'))) },
    ['ModelAvailable', 'False ModelUnavailable', 'kubectl describe modelprovider local -n varve'],
  ],
];

function checked(
  state: 'Available' | 'Unavailable' | null,
  found = 'UNAUTHENTICATED',
): ModelProviderRecord {
  const code = state === 'Unavailable' ? found : null;
  return {
    name: 'local',
    owner: { ...OWNER, namespace: RELEASE },
    generation: 1,
    hash: 'h',
    provider: { allowedNamespaces: ['*'], extractive: {} },
    appliedAt: NOW,
    epoch: 1,
    check: state === null ? null : { at: NOW, state, code, since: NOW },
  };
}

const team = seenPolicy(layerPolicyObject({}));
const layerView = (differing: Partial<LayerPolicyView> = {}): Record<string, ConditionState> => ({
  ...layerPolicyConditions({
    policy: team,
    tenantName: 'acme',
    tenant: tenantObject(),
    tenantReady: null,
    speaker: team,
    isInForce: true,
    ...differing,
  }),
});

const LAYER_POLICIES: readonly Row[] = [
  ['a policy in force is ready', layerView(), ['Ready', 'True InForce', '']],
  [
    'a policy without its tenant names the missing tenant',
    layerView({ tenant: null }),
    ['Ready', 'False TenantNotFound', 'There is no MemoryTenant acme'],
  ],
  [
    'a tenant being deleted counts as missing',
    layerView({ tenant: tenantObject({}, DELETING) }),
    ['Accepted', 'False TenantNotFound', ''],
  ],
  [
    'the newer of two policies names the older one',
    layerView({ speaker: seenPolicy(layerPolicyObject({}, { name: 'first' })) }),
    ['Accepted', 'False Superseded', 'LayerSummaryPolicy first is older'],
  ],
  [
    'an invalid policy reports that the layer keeps its last applied settings',
    layerView({ policy: seenPolicy(layerPolicyObject({ updateOnChanges: -3 })) }),
    ['Accepted', 'False InvalidSpec', 'The layer keeps its last applied settings.'],
  ],
  [
    'a paused policy is not ready',
    layerView({ policy: seenPolicy(layerPolicyObject({}, { annotations: PAUSED })) }),
    ['Ready', 'False Paused', `${PAUSED_ANNOTATION}-`],
  ],
  [
    'a policy not yet in force names the command that shows its tenant',
    layerView({ isInForce: false }),
    ['Ready', 'False TenantPending', 'kubectl describe memorytenant acme -n team-a'],
  ],
  [
    'a policy waits for a tenant that is ready without a reason',
    layerView({ isInForce: false, tenantReady: readyTenant('True', 'InForce') }),
    ['Ready', 'False TenantPending', 'has not applied the settings yet: kubectl'],
  ],
  [
    'a policy waits for a tenant that is not ready with its reason',
    layerView({ isInForce: false, tenantReady: readyTenant('False', 'Paused') }),
    ['Ready', 'False TenantPending', 'has not applied the settings yet (Paused): kubectl'],
  ],
];

function readyTenant(status: 'True' | 'False', reason: string): LayerPolicyView['tenantReady'] {
  const ready = conditionState(status, reason, '');
  return statusConditions({ Ready: ready }, { generation: 1, now: NOW, before: [] })[0] ?? null;
}

function providerConditions(
  spec: object,
  namespace: string,
  record: ModelProviderRecord | null,
  embedding: DeclaredEmbedding | null = null,
) {
  const object = providerObject(spec, { namespace });
  const reading = readObject(object, ModelProvider);
  const seen = { object, reading, releaseNamespace: RELEASE, record };
  const plan = planProvider(seen, digest);
  const moment = { generation: 1, now: NOW, before: [] };
  const { conditions } = providerStatus(seen, { plan, record, embedding }, moment);
  return Object.fromEntries(conditions.map((condition) => [condition.type, condition]));
}

/** What the provider `local` declares, while the installation uses the model of `used`. */
function embedding(used: string, hasKey = false): DeclaredEmbedding {
  const model = { name: 'e5', dimensions: 384, inputMicroDollarsPerMillion: 0, textsMax: null };
  const texts = { queryPrefix: '', passagePrefix: '', dimensionsSent: false };
  return { model: { ...model, ...texts }, hasKey, usedOf: { name: used, owner: OWNER } };
}

const EXTRACTIVE = { allowedNamespaces: ['*'], extractive: {} };
const PROVIDERS: readonly Row[] = [
  [
    'a provider outside the namespace of the release is not ready',
    providerConditions(EXTRACTIVE, NAMESPACE, null),
    ['Ready', 'False WrongNamespace', 'kubectl delete modelprovider local -n team-a'],
  ],
  [
    'a provider not checked yet is ready',
    providerConditions(EXTRACTIVE, RELEASE, checked(null)),
    ['Ready', 'True NotAskedYet', ''],
  ],
  [
    'a valid provider says which one serves if several may',
    providerConditions(EXTRACTIVE, RELEASE, checked(null)),
    ['Accepted', 'True Accepted', 'If several allow a namespace, the oldest with a model of'],
  ],
  [
    'a provider that refuses its key is not ready',
    providerConditions(EXTRACTIVE, RELEASE, checked('Unavailable')),
    ['Ready', 'False Unavailable', '(UNAUTHENTICATED)'],
  ],
  ...(
    [
      [
        'FORBIDDEN',
        'Workers may not read its Secret: name the Secret in workers.models.secretNames',
      ],
      ['NOT_FOUND', 'Check that its Secret exists and has the named key'],
      ['UNAUTHENTICATED', 'Check that its Secret exists and has the named key'],
      ['TIMEOUT', 'Check its address, and that networkPolicy.models.ports of the chart'],
      ['PROVIDER_ERROR', 'Check its address, and that networkPolicy.models.ports of the chart'],
      ['CORRUPT', 'Check its address and its Secret.'],
      ['toString', 'Check its address and its Secret.'],
    ] as const
  ).map(([code, mend]): Row => [
    `a provider that fails with ${code} names the fix`,
    providerConditions(EXTRACTIVE, RELEASE, checked('Unavailable', code)),
    ['Ready', 'False Unavailable', `(${code}). ${mend}`],
  ]),
  [
    'a provider whose embedding model is used says what changes older tenants',
    providerConditions(EXTRACTIVE, RELEASE, checked(null), embedding('local')),
    ['EmbeddingModel', 'True InUse', 'e5 with 384 dimensions embeds the memories of new tenants'],
  ],
  [
    'a provider whose embedding model is used is ready',
    providerConditions(EXTRACTIVE, RELEASE, checked(null), embedding('local')),
    ['Ready', 'True NotAskedYet', ''],
  ],
  [
    'an embedding model with a key says where the API needs it',
    providerConditions(EXTRACTIVE, RELEASE, checked(null), embedding('local', true)),
    ['EmbeddingModel', 'True InUse', 'varve embeddings migrate. The API embeds too, so it must'],
  ],
  [
    'a second embedding model names the provider whose model is used',
    providerConditions(EXTRACTIVE, RELEASE, checked(null), embedding('first')),
    ['EmbeddingModel', 'False Superseded', 'ModelProvider first is older, or first by name'],
  ],
  [
    'a provider with a second embedding model is not ready',
    providerConditions(EXTRACTIVE, RELEASE, checked(null), embedding('first')),
    ['Ready', 'False Superseded', 'Remove embedding here or there.'],
  ],
  [
    'a provider without an endpoint is invalid',
    providerConditions({ allowedNamespaces: ['*'] }, RELEASE, null),
    ['Accepted', 'False InvalidSpec', 'exactly one of openai and extractive'],
  ],
];

describe('conditions', () => {
  test.each([...TENANTS, ...LAYER_POLICIES, ...PROVIDERS])(
    '%s',
    (...[, findings, [type, verdict, text]]) => {
      const { status, reason, message } = findings[type] ?? {};
      expect(`${status ?? ''} ${reason ?? ''}`).toBe(verdict);
      expect(message).toContain(text);
    },
  );
});
