/** What conditions say, in sentences: a table of situations for each kind. */
import { describe, expect, test } from 'vitest';
import { openAccount } from '#core/budget/budget-account.ts';
import type { ModelClass } from '#core/records/model-class.ts';
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import type { Account } from '#core/records/account.ts';
import { ModelProvider } from '#crds/model-provider.ts';
import {
  type ConditionState,
  PAUSED_ANNOTATION,
} from '#operator/tenant/metadata-and-conditions.ts';
import {
  layerPolicyConditions,
  type LayerPolicyView,
} from '#operator/cluster/reconcile-layer-policy.ts';
import { planProvider, providerStatus } from '#operator/cluster/reconcile-provider.ts';
import { readObject } from '#crds/read-object.ts';
import type { TenantFacts } from '#operator/cluster/tenant-facts.ts';
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

function facts(differing: Partial<TenantFacts> = {}): TenantFacts {
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
    'what waits for a Temporal that is away says so',
    { ...tenantConditions(view({ facts: facts({ stale: 1 }), isTemporalAway: true })) },
    ['Fresh', 'False TemporalUnavailable', 'resumes once Temporal answers'],
  ],
  [
    'nothing is told of a Temporal that nothing waits for',
    { ...tenantConditions(view({ isTemporalAway: true })) },
    ['Fresh', 'True Fresh', ''],
  ],
  ['a tenant at work is ready', { ...tenantConditions(view()) }, ['Ready', 'True InForce', '']],
  [
    'a mistake is named with the command that mends it',
    { ...tenantConditions(view({ outcome: { ...NAMED, isKept: true } })) },
    ['Accepted', 'False InvalidSpec', 'kubectl edit memorytenant acme -n team-a'],
  ],
  [
    'with a mistake the last valid policy stays',
    { ...tenantConditions(view({ outcome: { ...NAMED, isKept: true } })) },
    ['Ready', 'False InvalidSpec', 'The last valid policy stays in force.'],
  ],
  [
    'a mistake in the first version says that nothing was applied',
    { ...tenantConditions(view({ outcome: { ...NAMED, isKept: false } })) },
    ['Accepted', 'False InvalidSpec', 'Nothing was applied.'],
  ],
  [
    'another owner is named',
    { ...tenantConditions(view({ outcome: { ...CLAIMED, isReleased: false }, facts: null })) },
    ['Ready', 'False TenantClaimed', 'kubectl describe memorytenant acme -n team-a'],
  ],
  [
    'of a tenant that was released it is said who alone gets it',
    { ...tenantConditions(view({ outcome: { ...CLAIMED, isReleased: true }, facts: null })) },
    ['Accepted', 'False TenantClaimed', 'Only a MemoryTenant of that cluster and namespace'],
  ],
  [
    'of a tenant of another owner nothing is told',
    { ...tenantConditions(view({ outcome: { ...CLAIMED, isReleased: false }, facts: null })) },
    ['Fresh', 'Unknown NotKnown', ''],
  ],
  [
    'a paused tenant is not ready and says how to go on',
    { ...tenantConditions(view({ outcome: { kind: 'Paused' } })) },
    ['Ready', 'False Paused', `kubectl annotate memorytenant acme -n team-a ${PAUSED_ANNOTATION}-`],
  ],
  [
    'a tenant that was paused from the first is not accepted yet',
    { ...tenantConditions(view({ outcome: { kind: 'Paused' }, policy: null, facts: null })) },
    ['Accepted', 'False Paused', 'Nothing was applied yet.'],
  ],
  [
    'a tenant without summaries is fresh',
    { ...tenantConditions(view({ facts: facts({ fresh: 0 }) })) },
    ['Fresh', 'True NothingToSummarize', ''],
  ],
  [
    'one stale summary is said, without a number that moves',
    { ...tenantConditions(view({ facts: facts({ stale: 1 }) })) },
    ['Fresh', 'False Stale', 'status.freshness counts them'],
  ],
  [
    'of scopes that were not all looked at it is not known whether they are fresh',
    { ...tenantConditions(view({ facts: facts({ isComplete: false }) })) },
    ['Fresh', 'Unknown StillCounting', 'The checked ones are fresh'],
  ],
  [
    'a tenant whose scopes are still being counted is ready',
    { ...tenantConditions(view({ facts: facts({ isComplete: false }) })) },
    ['Ready', 'True InForce', ''],
  ],
  [
    'what is known to be stale is said before all scopes were looked at',
    { ...tenantConditions(view({ facts: facts({ isComplete: false, stale: 1 }) })) },
    ['Fresh', 'False Stale', ''],
  ],
  [
    'none that was looked at so far is not nothing to summarize',
    { ...tenantConditions(view({ facts: facts({ isComplete: false, fresh: 0 }) })) },
    ['Fresh', 'Unknown StillCounting', ''],
  ],
  [
    'a stale summary does not make a tenant unready',
    { ...tenantConditions(view({ facts: facts({ stale: 1 }) })) },
    ['Ready', 'True InForce', ''],
  ],
  [
    'summaries that were dead-lettered come with the command that tries them again',
    { ...tenantConditions(view({ facts: facts({ stale: 1, dead: 1 }) })) },
    ['Fresh', 'False DeadLettered', 'varve summaries retry --tenant acme'],
  ],
  [
    'a budget with room is available',
    { ...tenantConditions(spent(99)) },
    ['BudgetAvailable', 'True WithinLimit', ''],
  ],
  [
    'a budget that is used up comes with the command that grants more',
    { ...tenantConditions(spent(100)) },
    ['BudgetAvailable', 'False BudgetExhausted', 'varve budget grant --tenant acme'],
  ],
  [
    'what is reserved counts as used',
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
    'a grant counts on top of the limit',
    { ...tenantConditions(spent(100, { granted: { tokens: 1, microDollars: 0 } })) },
    ['BudgetAvailable', 'True WithinLimit', ''],
  ],
  [
    'a scope that waits for budget tells that it is used up, whatever is left',
    { ...tenantConditions(view({ facts: facts({ waitingForBudget: 1 }) })) },
    ['BudgetAvailable', 'False BudgetExhausted', 'Refreshes are refused'],
  ],
  [
    'without a limit there is always budget',
    {
      ...tenantConditions(view({ facts: facts({ account: { ...account, limitTokens: null } }) })),
    },
    ['BudgetAvailable', 'True NoLimit', ''],
  ],
  [
    'without a provider the installation has the models',
    { ...tenantConditions(view()) },
    ['ModelAvailable', 'True InstallationModels', ''],
  ],
  [
    'a platform that allows only classes that no provider serves is told of',
    { ...tenantConditions(limitedTo(['economy'])) },
    ['ModelAvailable', 'False AllowedClassNotServed', 'class economy only'],
  ],
  [
    'a provider that nobody has asked is taken to work',
    { ...tenantConditions(provided(checked(null))) },
    ['ModelAvailable', 'True Available', 'ModelProvider local'],
  ],
  [
    'a provider that does not answer is named with where to look',
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
    'a policy without its tenant says which one is missing',
    layerView({ tenant: null }),
    ['Ready', 'False TenantNotFound', 'There is no MemoryTenant acme'],
  ],
  [
    'a tenant that is going is as good as gone',
    layerView({ tenant: tenantObject({}, DELETING) }),
    ['Accepted', 'False TenantNotFound', ''],
  ],
  [
    'the newer of two names the older, and the command that takes one away',
    layerView({ speaker: seenPolicy(layerPolicyObject({}, { name: 'first' })) }),
    ['Accepted', 'False Superseded', 'LayerSummaryPolicy first is older'],
  ],
  [
    'a policy that can not be read says what is wrong and what holds',
    layerView({ policy: seenPolicy(layerPolicyObject({ updateOnChanges: -3 })) }),
    ['Accepted', 'False InvalidSpec', 'The layer keeps what was last applied.'],
  ],
  [
    'a paused policy is not ready',
    layerView({ policy: seenPolicy(layerPolicyObject({}, { annotations: PAUSED })) }),
    ['Ready', 'False Paused', `${PAUSED_ANNOTATION}-`],
  ],
  [
    'a policy that the tenant has not taken over sends to the tenant',
    layerView({ isInForce: false }),
    ['Ready', 'False TenantPending', 'kubectl describe memorytenant acme -n team-a'],
  ],
];

function providerConditions(spec: object, namespace: string, record: ModelProviderRecord | null) {
  const object = providerObject(spec, { namespace });
  const reading = readObject(object, ModelProvider);
  const seen = { object, reading, releaseNamespace: RELEASE, record };
  const plan = planProvider(seen, digest);
  const moment = { generation: 1, now: NOW, before: [] };
  const { conditions } = providerStatus(seen, { plan, record }, moment);
  return Object.fromEntries(conditions.map((condition) => [condition.type, condition]));
}

const EXTRACTIVE = { allowedNamespaces: ['*'], extractive: {} };
const EMBEDDING = {
  allowedNamespaces: ['*'],
  openai: {
    baseUrl: 'https://models.example.com/v1',
    models: [{ name: 'mini', classes: ['economy'], inputPrice: '1', outputPrice: '2' }],
    embedding: { model: 'small', dimensions: 8, inputPrice: '0' },
  },
};
const PROVIDERS: readonly Row[] = [
  [
    'a provider outside the namespace of the release is not heard',
    providerConditions(EXTRACTIVE, NAMESPACE, null),
    ['Ready', 'False WrongNamespace', 'kubectl delete modelprovider local -n team-a'],
  ],
  [
    'a provider that was not asked yet is ready',
    providerConditions(EXTRACTIVE, RELEASE, checked(null)),
    ['Ready', 'True NotAskedYet', ''],
  ],
  [
    'a provider that refuses its key is not',
    providerConditions(EXTRACTIVE, RELEASE, checked('Unavailable')),
    ['Ready', 'False Unavailable', '(UNAUTHENTICATED)'],
  ],
  ...(
    [
      [
        'FORBIDDEN',
        'Workers may not read its Secret: name the Secret in workers.models.secretNames',
      ],
      ['NOT_FOUND', 'Check that its Secret is there, has the key'],
      ['UNAUTHENTICATED', 'Check that its Secret is there, has the key'],
      ['TIMEOUT', 'Check its address, and that networkPolicy.models.ports of the chart'],
      ['PROVIDER_ERROR', 'Check its address, and that networkPolicy.models.ports of the chart'],
      ['CORRUPT', 'Check its address and its Secret.'],
      ['toString', 'Check its address and its Secret.'],
    ] as const
  ).map(([code, mend]): Row => [
    `of ${code} is said what mends it`,
    providerConditions(EXTRACTIVE, RELEASE, checked('Unavailable', code)),
    ['Ready', 'False Unavailable', `(${code}). ${mend}`],
  ]),
  [
    'an embedding that has no effect yet is said',
    providerConditions(EMBEDDING, RELEASE, null),
    ['Accepted', 'True Accepted', 'in use. spec.openai.embedding is declared only'],
  ],
  [
    'a provider without an endpoint is a mistake',
    providerConditions({ allowedNamespaces: ['*'] }, RELEASE, null),
    ['Accepted', 'False InvalidSpec', 'exactly one of openai and extractive'],
  ],
];

describe('what conditions say', () => {
  test.each([...TENANTS, ...LAYER_POLICIES, ...PROVIDERS])(
    '%s',
    (...[, findings, [type, verdict, text]]) => {
      const { status, reason, message } = findings[type] ?? {};
      expect(`${status ?? ''} ${reason ?? ''}`).toBe(verdict);
      expect(message).toContain(text);
    },
  );
});
