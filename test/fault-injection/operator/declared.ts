/** What a person declares in the proofs: four kinds, and three steps of their lives. */
import { setTimeout as pause } from 'node:timers/promises';

import type { KubernetesApi, KubernetesObject, ResourceType } from '#core/ports/kubernetes-api.ts';
import { API_VERSION } from '#crds/metadata.ts';
import {
  DEEP_DREAM,
  LAYER_SUMMARY_POLICY,
  MEMORY_TENANT,
  MODEL_PROVIDER,
} from '#crds/resource-types.ts';

export const KINDS = [MODEL_PROVIDER, MEMORY_TENANT, LAYER_SUMMARY_POLICY, DEEP_DREAM] as const;

export const STEPS = ['create', 'update', 'delete'] as const;
export type Step = (typeof STEPS)[number];

/** Deletes what it has when it goes; the other keeps it. */
export const ERASED_TENANT = 'erased';
export const KEPT_TENANT = 'kept';
const TWICE = 'session-twice';
const SAME_SECOND_MS = 100;

/** Carries a step out as a person would, in one namespace. */
export async function declare(api: KubernetesApi, namespace: string, step: Step): Promise<void> {
  if (step === 'create') {
    for (const [type, name, spec] of CREATED) {
      await api.create(type, objectOf(type, { namespace, name }, spec));
    }
    await createLater(api, namespace);
    return;
  }
  if (step === 'update') {
    for (const [type, name, spec] of UPDATED) await specify(api, type, { namespace, name, spec });
    // The one that was there twice now is the only one.
    await api.delete(LAYER_SUMMARY_POLICY, { namespace, name: 'session' });
    return;
  }
  await Promise.all([
    api.delete(MEMORY_TENANT, { namespace, name: ERASED_TENANT }),
    api.delete(MEMORY_TENANT, { namespace, name: KEPT_TENANT }),
    api.delete(MODEL_PROVIDER, { namespace, name: 'house' }),
  ]);
}

/** Of two for one layer the older counts, and the server's times are whole seconds. */
async function createLater(api: KubernetesApi, namespace: string): Promise<void> {
  const at = { namespace, name: TWICE };
  const first = await api.get(LAYER_SUMMARY_POLICY, { namespace, name: 'session' });
  const spec = { tenantRef, layer: 'session', updateOnChanges: 3 };
  for (;;) {
    const { metadata } = await api.create(
      LAYER_SUMMARY_POLICY,
      objectOf(LAYER_SUMMARY_POLICY, at, spec),
    );
    if (metadata.creationTimestamp !== first?.metadata.creationTimestamp) return;
    await api.delete(LAYER_SUMMARY_POLICY, at);
    await pause(SAME_SECOND_MS);
  }
}

/** Puts another spec in the place of the one that is there. */
export async function specify(
  api: KubernetesApi,
  type: ResourceType,
  { namespace, name, spec }: { namespace: string; name: string; spec: object },
): Promise<void> {
  const operations = [{ op: 'replace', path: '/spec', value: spec }] as const;
  await api.patch(type, { namespace, name }, { operations });
}

export function objectOf(
  { kind }: ResourceType,
  metadata: { readonly namespace: string; readonly name: string },
  spec: object,
): KubernetesObject {
  return { apiVersion: API_VERSION, kind, metadata, spec };
}

type Declared = readonly [ResourceType, string, object];

const tenantRef = { name: ERASED_TENANT };
const CREATED: readonly Declared[] = [
  [MODEL_PROVIDER, 'house', { extractive: {}, allowedNamespaces: ['*'] }],
  [MEMORY_TENANT, ERASED_TENANT, { reclaimPolicy: 'Erase', budget: { tokens: 1_000 } }],
  [MEMORY_TENANT, KEPT_TENANT, {}],
  [LAYER_SUMMARY_POLICY, 'session', { tenantRef, layer: 'session', updateOnChanges: 2 }],
  [LAYER_SUMMARY_POLICY, 'team', { tenantRef: { name: KEPT_TENANT }, layer: 'team' }],
  [DEEP_DREAM, 'night', { tenantRef, cron: '30 3 * * *' }],
];
const UPDATED: readonly Declared[] = [
  [MEMORY_TENANT, ERASED_TENANT, { reclaimPolicy: 'Erase', budget: { tokens: 2_000 } }],
  [MEMORY_TENANT, KEPT_TENANT, { context: { maxTokens: 2_000 } }],
  [
    LAYER_SUMMARY_POLICY,
    'team',
    { tenantRef: { name: KEPT_TENANT }, layer: 'team', depths: ['sentence'] },
  ],
  [DEEP_DREAM, 'night', { tenantRef, cron: '0 4 * * *' }],
];
