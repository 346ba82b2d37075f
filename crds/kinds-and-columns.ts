/** The CustomResourceDefinition of each kind: its schema, and its columns in `kubectl get`. */
import type { z } from 'zod';
import type { ResourceType } from '#core/ports/kubernetes-api.ts';
import { DeepDream } from './deep-dream.ts';
import { LayerSummaryPolicy } from './layer-summary-policy.ts';
import { MemoryTenant } from './memory-tenant.ts';
import { ModelProvider } from './model-provider.ts';
import {
  DEEP_DREAM,
  LAYER_SUMMARY_POLICY,
  MEMORY_TENANT,
  MODEL_PROVIDER,
} from './resource-types.ts';
import {
  DeepDreamStatus,
  LayerSummaryPolicyStatus,
  MemoryTenantStatus,
  ModelProviderStatus,
} from './status.ts';
import { structuralSchema, type StructuralSchema } from './structural-schema.ts';

/** `kubectl get varve` lists all kinds. */
const CATEGORY = 'varve';

interface Column {
  readonly name: string;
  readonly type: 'string' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  /** 1 for a column that only `-o wide` shows. */
  readonly priority?: 1;
}

interface Definition {
  readonly type: ResourceType;
  readonly shortName: string;
  readonly schema: z.ZodObject<{ spec: z.ZodType }>;
  readonly status: z.ZodType;
  readonly columns: readonly Column[];
}

const text = (name: string, jsonPath: string, description: string): Column => ({
  name,
  type: 'string',
  jsonPath,
  description,
});

/** A time in the past, which kubectl shows as the time since then; one to come is a text. */
const date = (name: string, jsonPath: string, description: string): Column => ({
  ...text(name, jsonPath, description),
  type: 'date',
});

const READY = '.status.conditions[?(@.type=="Ready")]';

const ready: readonly Column[] = [
  text('Ready', `${READY}.status`, 'Whether it works.'),
  date('Since', `${READY}.lastTransitionTime`, 'How long Ready has had its status.'),
  text('Reason', `${READY}.reason`, 'Reason in one word; kubectl describe says more.'),
];

const UNRESOLVED = 'The last failure that is not resolved yet.';

const age = date('Age', '.metadata.creationTimestamp', 'Age of the resource.');

const wide = (column: Column): Column => ({ ...column, priority: 1 });

export const DEFINITIONS: readonly Definition[] = [
  {
    type: MEMORY_TENANT,
    shortName: 'mt',
    schema: MemoryTenant,
    status: MemoryTenantStatus,
    columns: [
      text('Tenant', '.status.tenantId', 'The id that callers give.'),
      ...ready,
      text('Fresh', '.status.freshness.summary', 'Fresh summaries out of all.'),
      text('Budget', '.status.budget.summary', 'Spent and limit of the month.'),
      date('Last', '.status.lastRefreshTime', 'How long ago a summary was made.'),
      text('Next', '.status.nextRefreshTime', 'When the next summary is due.'),
      text('Last error', '.status.lastError.code', UNRESOLVED),
      age,
    ],
  },
  {
    type: LAYER_SUMMARY_POLICY,
    shortName: 'lsp',
    schema: LayerSummaryPolicy,
    status: LayerSummaryPolicyStatus,
    columns: [
      text('Tenant', '.spec.tenantRef.name', 'The MemoryTenant.'),
      text('Layer', '.spec.layer', 'The layer.'),
      ...ready,
      text('Fresh', '.status.freshness.summary', 'Fresh summaries of the layer out of all.'),
      text(
        'Interval',
        '.status.effective.updateInterval',
        'How long a changed scope waits for its refresh.',
      ),
      wide(text('Changes', '.status.effective.updateOnChanges', 'Changes that make a scope due.')),
      wide(text('Max age', '.status.effective.maxAge', 'When a summary is regenerated.')),
      wide(text('Class', '.status.effective.modelClass', 'The class of models.')),
      date('Last', '.status.lastRefreshTime', 'How long ago a summary of the layer was made.'),
      text('Next', '.status.nextRefreshTime', 'When the next summary of the layer is due.'),
      text('Last error', '.status.lastError.code', UNRESOLVED),
      age,
    ],
  },
  {
    type: MODEL_PROVIDER,
    shortName: 'mp',
    schema: ModelProvider,
    status: ModelProviderStatus,
    columns: [
      ...ready,
      text('Check', '.status.lastCheck.state', 'What a worker found when it last asked.'),
      text('Last error', '.status.lastCheck.code', 'Why the endpoint does not answer.'),
      wide(text('Address', '.spec.openai.baseUrl', 'The endpoint.')),
      wide(text('Models', '.spec.openai.models[*].name', 'The models.')),
      wide(
        text('Embedding', '.spec.openai.embedding.name', 'The embedding model that it declares.'),
      ),
      age,
    ],
  },
  {
    type: DEEP_DREAM,
    shortName: 'dd',
    schema: DeepDream,
    status: DeepDreamStatus,
    columns: [
      text('Tenant', '.spec.tenantRef.name', 'The MemoryTenant.'),
      ...ready,
      text('Cron', '.spec.cron', 'When dreams begin.'),
      wide(text('Zone', '.spec.timeZone', 'The time zone of cron.')),
      date('Last', '.status.lastDreamTime', 'How long ago the last dream ended.'),
      text('Outcome', '.status.lastOutcome', 'How the dreams of that time ended.'),
      text('Next', '.status.nextDreamTime', 'When the next dream begins.'),
      text('Last error', '.status.lastError.code', 'Why dreams of the last run failed.'),
      age,
    ],
  },
];

/** Returns the definition for the API server. */
export function customResourceDefinition(definition: Definition): object {
  const { type, shortName, columns } = definition;
  const { group, version, kind, plural } = type;
  const singular = kind.toLowerCase();
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular,
        shortNames: [shortName],
        categories: [CATEGORY],
      },
      scope: 'Namespaced',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns,
          schema: { openAPIV3Schema: wholeSchema(definition) },
        },
      ],
    },
  };
}

/** The metadata is the same for every kind, and Kubernetes checks it; Varve writes the status. */
function wholeSchema({ schema, status }: Definition): StructuralSchema {
  const { spec } = schema.shape;
  return {
    ...schema.meta(),
    type: 'object',
    ...(spec.safeParse(undefined).success ? {} : { required: ['spec'] }),
    properties: {
      apiVersion: { type: 'string', description: 'The version of the kind.' },
      kind: { type: 'string', description: 'The kind of the resource.' },
      // Has a name so that rules can refer to it; Kubernetes itself checks the rest.
      metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 253 } } },
      spec: structuralSchema(spec),
      status: structuralSchema(status),
    },
  };
}
