/** Compiles resources to policies: pure, so that a folder and a cluster mean the same. */
import { forEachLayer, type Layer } from '#core/layer.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { type DreamPolicy, DREAMS_PER_TENANT_MAX } from '#core/records/dream-policy.ts';
import type { ModelClass } from '#core/records/model-class.ts';
import {
  isAllowedIn,
  type ModelProvider as CompiledProvider,
  type ModelProviderRecord,
  type ProvidedEmbedding,
  takesDimensions,
} from '#core/records/model-provider.ts';
import type {
  Owner,
  LayerPolicy,
  PolicyModels,
  TenantPolicy,
  ModelChoice,
} from '#core/records/policy.ts';
import { DEFAULT_LAYERS, SESSION_SILENCE_MS } from '#core/policy/policy-defaults.ts';
import { EXTRACTIVE_NAME } from '#core/refresh/model-choice.ts';
import type { DeepDream } from '#crds/deep-dream.ts';
import type { LayerSummaryPolicy } from '#crds/layer-summary-policy.ts';
import { tenantIdOf, type MemoryTenant } from '#crds/memory-tenant.ts';
import { namespaceOf, type Metadata } from '#crds/metadata.ts';
import type { ReadResult } from '#crds/read-object.ts';
import type { Resources } from '#crds/read-resources.ts';
import { hasPausedAnnotation } from './metadata-and-conditions.ts';
import type { EmbeddingModel, ModelProvider } from '#crds/model-provider.ts';

/** The desired policy of one tenant, and the resource that declares it. */
export interface CompiledPolicy {
  readonly owner: Owner;
  readonly policy: TenantPolicy;
}

/**
 * Compiles one policy for each MemoryTenant, in the order of the resources. Assumes that the
 * resources passed `readResources`, so a layer has at most one LayerSummaryPolicy.
 */
export function compileResources(resources: Resources, cluster: string): readonly CompiledPolicy[] {
  return resources.tenants.map((tenant) => {
    const policies = resources.policies.filter((policy) => isFor(policy, tenant));
    const dreams = resources.dreams.filter((dream) => isFor(dream, tenant)).map(compileDream);
    const policy = compileTenant(tenant, { policies, dreams });
    return { owner: ownerOf(tenant, cluster), policy };
  });
}

interface BesideTenant {
  /** At most one for each layer. */
  readonly policies: readonly LayerSummaryPolicy[];
  /** In any order. */
  readonly dreams: readonly DreamPolicy[];
  /** Absent if no provider has models for the tenant; those of the installation serve then. */
  readonly models?: PolicyModels | undefined;
}

/**
 * Compiles the policy of a tenant. Fields that the resources leave out get the defaults of the
 * design.
 */
export function compileTenant(
  tenant: MemoryTenant,
  { policies, dreams, models }: BesideTenant,
): TenantPolicy {
  const { hierarchy, budget, refresh, context, retention, sessions, extraction, grounding } =
    tenant.spec;
  const { transcriptDays, auditDays } = retention;
  const { endAfterSilence: silenceMs } = sessions;
  return {
    tenant: tenantIdOf(tenant),
    hierarchy: {
      teamOfProject: Object.fromEntries(hierarchy.projects.map(({ id, team }) => [id, team])),
      orgOfTeam: Object.fromEntries(hierarchy.teams.map(({ id, org }) => [id, org])),
      companyOfOrg: Object.fromEntries(hierarchy.orgs.map(({ id, company }) => [id, company])),
    },
    budget: {
      limitTokens: budget.tokens ?? null,
      limitMicroDollars: budget.dollars ?? null,
      onExhausted: budget.onExhausted,
    },
    urgentDebounceMs: refresh.urgentDebounce,
    onRecipeChange: refresh.onRecipeChange,
    context,
    transcriptRetentionDays: transcriptDays,
    layers: forEachLayer((layer) =>
      compileLayer(
        layer,
        refresh.batchWindow,
        policies.find(({ spec }) => spec.layer === layer),
      ),
    ),
    ...(extraction.by === 'Rules' ? {} : { extraction: { modelClass: extraction.modelClass } }),
    ...(Object.keys(extraction.layers).length === 0 ? {} : { statementLayers: extraction.layers }),
    ...(grounding.verify === 'None' ? {} : { grounding: { verify: grounding.verify } }),
    ...(models === undefined ? {} : { models }),
    ...(silenceMs === SESSION_SILENCE_MS ? {} : { sessionSilenceMs: silenceMs }),
    ...(auditDays === undefined ? {} : { auditRetentionDays: auditDays }),
    ...dreamsField(dreams),
  };
}

/**
 * Compiles the policy of one layer. Sessions have a shorter batch window than anything else, so the
 * tenant's window does not apply to them.
 */
export function compileLayer(
  layer: Layer,
  tenantWindowMs: number,
  policy: LayerSummaryPolicy | undefined,
): LayerPolicy {
  const fallback = DEFAULT_LAYERS[layer];
  const spec = policy?.spec;
  const windowMs = layer === 'session' ? fallback.batchWindowMs : tenantWindowMs;
  return {
    depths: spec?.depths ?? fallback.depths,
    updateIntervalMs: spec?.updateInterval ?? fallback.updateIntervalMs,
    updateOnChanges: spec?.updateOnChanges ?? fallback.updateOnChanges,
    maxAgeMs: spec?.maxAge ?? fallback.maxAgeMs,
    skipIfUnchanged: spec?.skipIfUnchanged ?? fallback.skipIfUnchanged,
    batchWindowMs: spec?.batchWindow ?? windowMs,
    personalized: spec?.personalized ?? fallback.personalized,
    modelClass: spec?.modelClass ?? fallback.modelClass,
  };
}

/** Whether a resource refers to a tenant. */
export function isFor(resource: LayerSummaryPolicy | DeepDream, tenant: MemoryTenant): boolean {
  const isSameNamespace = namespaceOf(resource) === namespaceOf(tenant);
  return isSameNamespace && resource.spec.tenantRef.name === tenant.metadata.name;
}

export function ownerOf(tenant: MemoryTenant, cluster: string): Owner {
  const { name } = tenant.metadata;
  return { cluster, namespace: namespaceOf(tenant), name, uid: uidOf(tenant, cluster) };
}

/** The identity of a folder's resource is its name, so that a folder may be moved or copied. */
export function uidOf(resource: { readonly metadata: Metadata }, cluster: string): string {
  return `${cluster}/${namespaceOf(resource)}/${resource.metadata.name}`;
}

/** Compiles a DeepDream to what workers read of it: pure. */
export function compileDream({ metadata, spec }: DeepDream): DreamPolicy {
  const { subjects, cron, timeZone, lookbackDays, approval, guards, modelClass } = spec;
  return {
    name: metadata.name,
    ...subjects,
    cron,
    timeZone,
    lookbackDays,
    approval,
    ...guards,
    modelClass,
  };
}

/** Returns the policy field with the dreams by name, or no field if there are none. */
export function dreamsField(dreams: readonly DreamPolicy[]): Pick<TenantPolicy, 'dreams'> {
  if (dreams.length === 0) return {};
  return { dreams: dreams.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
}

/** A ModelProvider that was accepted, from its resource and its compiled spec. */
export interface AcceptedProvider {
  readonly name: string;
  readonly uid: string;
  /** RFC 3339, as the API server writes it. */
  readonly createdAt: string;
  readonly provider: CompiledProvider;
}

/**
 * Chooses for each class the oldest provider that allows the namespace and has a model of the
 * class, and its first such model. Undefined if there is none for either class: then the policy
 * lacks the field, and its hash is that of a policy without providers.
 * @param allowedModels names that the platform allows; null for all. A free model needs no
 * permission.
 */
export function chooseModels(
  accepted: readonly AcceptedProvider[],
  namespace: string,
  allowedModels: readonly string[] | null = null,
): PolicyModels | undefined {
  const allowed = accepted
    .filter(({ provider }) => isAllowedIn(provider, namespace))
    .toSorted(olderProviderFirst);
  const economy = choose(allowed, 'economy', allowedModels);
  const standard = choose(allowed, 'standard', allowedModels);
  return economy === null && standard === null ? undefined : { economy, standard };
}

function choose(
  providers: readonly AcceptedProvider[],
  modelClass: ModelClass,
  allowedModels: readonly string[] | null,
): ModelChoice | null {
  for (const { name, provider } of providers) {
    const model = modelOf(provider, modelClass);
    const isFree = provider.extractive !== undefined;
    const isAllowed = isFree || allowedModels === null || allowedModels.includes(model ?? '');
    if (model !== null && isAllowed) return { provider: name, model };
  }
  return null;
}

/** Returns null if the provider has no model of the class. */
function modelOf({ openai, extractive }: CompiledProvider, modelClass: ModelClass): string | null {
  if (extractive !== undefined) return EXTRACTIVE_NAME;
  return openai?.models.find(({ classes }) => classes.includes(modelClass))?.name ?? null;
}

/** Of two created in one second, the smaller uid counts as older. Any fixed order would do. */
function olderProviderFirst(a: AcceptedProvider, b: AcceptedProvider): number {
  return Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.uid < b.uid ? -1 : 1);
}

/**
 * Sorts the older first, by creation time and then by uid: every operator orders two resources of
 * one second in the same way.
 */
export function byAge(a: KubernetesObject, b: KubernetesObject): number {
  const [first, second] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  if (first !== second) return first < second ? -1 : 1;
  const [one, other] = [a.metadata.uid ?? '', b.metadata.uid ?? ''];
  return one === other ? 0 : one < other ? -1 : 1;
}

/** Returns the oldest of those that claim the same; null if there is none. */
export function oldestOf<T extends { readonly object: KubernetesObject }>(
  claims: readonly T[],
): T | null {
  return claims.toSorted((a, b) => byAge(a.object, b.object))[0] ?? null;
}

/** A DeepDream that names a tenant. */
export interface SeenDream {
  readonly object: KubernetesObject;
  readonly reading: ReadResult<DeepDream>;
}

/** Returns the oldest ones, up to the limit of a tenant. */
export function oldestDreams(dreams: readonly SeenDream[]): readonly SeenDream[] {
  return dreams.toSorted((a, b) => byAge(a.object, b.object)).slice(0, DREAMS_PER_TENANT_MAX);
}

/**
 * Returns the dreams of a tenant. A dream that can't be read, or is paused, stays as it was last
 * applied; if it never was, it is left out.
 * @param last the dreams of the policy in the store
 */
export function desiredDreams(
  dreams: readonly SeenDream[],
  last: readonly DreamPolicy[],
): readonly DreamPolicy[] {
  return oldestDreams(dreams).flatMap(({ object, reading }) => {
    const isHeard = reading.kind === 'Valid' && !hasPausedAnnotation(object.metadata);
    if (isHeard) return [compileDream(reading.resource)];
    return last.filter(({ name }) => name === object.metadata.name);
  });
}

/**
 * Returns the accepted providers of the release namespace. A provider that can't be read, or is
 * paused, counts as it was last applied. One whose name another installation has in the store does
 * not count.
 */
export function providersInUse(
  objects: readonly { object: KubernetesObject; reading: ReadResult<ModelProvider> }[],
  records: readonly ModelProviderRecord[],
  { cluster, namespace }: { cluster: string; namespace: string },
): readonly AcceptedProvider[] {
  return objects.flatMap(({ object, reading }): AcceptedProvider[] => {
    const { name, uid = '', creationTimestamp: createdAt = '' } = object.metadata;
    const record = records.find((one) => one.name === name);
    const isOthers =
      record !== undefined &&
      (record.owner.cluster !== cluster || record.owner.namespace !== namespace);
    if (isOthers) return [];
    const isHeard = reading.kind === 'Valid' && !hasPausedAnnotation(object.metadata);
    const provider = isHeard ? compileProvider(reading.resource) : record?.provider;
    return provider === undefined ? [] : [{ name, uid, createdAt, provider }];
  });
}

/** Compiles a provider. Prices are already in micro-dollars; absent parts become null. */
export function compileProvider({ spec }: ModelProvider): CompiledProvider {
  const { allowedNamespaces, openai, extractive } = spec;
  if (openai === undefined) return { allowedNamespaces, extractive: extractive ?? {} };
  const { baseUrl, secretRef, models = [], embedding, rate } = openai;
  return {
    allowedNamespaces,
    openai: {
      baseUrl,
      secretRef: secretRef ?? null,
      models: models.map(({ inputPrice, outputPrice, ...model }) => ({
        ...model,
        inputMicroDollarsPerMillion: inputPrice,
        outputMicroDollarsPerMillion: outputPrice,
      })),
      ...(embedding === undefined ? {} : { embedding: compileEmbedding(embedding) }),
      requestsPerMinute: rate?.requestsPerMinute ?? null,
    },
  };
}

function compileEmbedding({ inputPrice, ...embedding }: EmbeddingModel): ProvidedEmbedding {
  const { name, dimensions, queryPrefix = '', passagePrefix = '', textsMax = null } = embedding;
  const { sendDimensions: dimensionsSent = takesDimensions(name) } = embedding;
  const inputMicroDollarsPerMillion = inputPrice;
  const texts = { queryPrefix, passagePrefix, textsMax };
  return { name, dimensions, inputMicroDollarsPerMillion, ...texts, dimensionsSent };
}
