/** The settings of `varve operator`: part of the one schema of the environment. */
import { z } from 'zod';
import { unlessEmpty } from './store-and-model-settings.ts';

/** Longest name of a Lease or of a pod. */
const NAME_LENGTH_MAX = 253;
const NAMESPACE_PATTERN = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/u;
/** Each namespace has four watches of its own; for more namespaces, watch all of them. */
const NAMESPACES_MAX = 100;
const CLUSTER_ID_LENGTH_MAX = 128;
const REQUESTS_PER_SECOND_MAX = 1_000;
const LEASE_NAME = 'varve-operator';
const DEFAULT_NAMESPACE = 'default';

const Namespaces = z
  .string()
  .transform((text) => text.split(/[\s,]+/u).filter((name) => name !== ''))
  .pipe(
    z
      .array(z.string().regex(NAMESPACE_PATTERN, 'expected namespaces, separated by commas'))
      .max(NAMESPACES_MAX),
  );

export const OPERATOR_VARIABLES = {
  VARVE_LEASE_NAME: unlessEmpty(z.string().max(NAME_LENGTH_MAX)),
  VARVE_WATCH_NAMESPACES: unlessEmpty(Namespaces),
  VARVE_CLUSTER_ID: unlessEmpty(z.string().max(CLUSTER_ID_LENGTH_MAX)),
  VARVE_POD_NAME: unlessEmpty(z.string().max(NAME_LENGTH_MAX)),
  VARVE_KUBERNETES_REQUESTS: unlessEmpty(
    z.coerce.number().int().min(1).max(REQUESTS_PER_SECOND_MAX),
  ),
};
const Variables = z.object(OPERATOR_VARIABLES);

export interface OperatorSettings {
  readonly leaseName: string;
  /** The namespace of the Lease and of the ModelProviders. */
  readonly releaseNamespace: string;
  /** Null for all namespaces. */
  readonly watchNamespaces: readonly string[] | null;
  /** Null for the uid of the namespace kube-system with a dot and `releaseNamespace` after it. */
  readonly clusterId: string | null;
  /** Null outside of a pod. */
  readonly podName: string | null;
  /** Requests a second to the API server; null for the default. */
  readonly requestsPerSecond: number | null;
}

export function operatorSettingsOf(
  set: z.infer<typeof Variables>,
  podNamespace: string | null,
): OperatorSettings {
  const namespaces = set.VARVE_WATCH_NAMESPACES ?? [];
  return {
    leaseName: set.VARVE_LEASE_NAME ?? LEASE_NAME,
    releaseNamespace: podNamespace ?? DEFAULT_NAMESPACE,
    watchNamespaces: namespaces.length === 0 ? null : namespaces,
    clusterId: set.VARVE_CLUSTER_ID ?? null,
    podName: set.VARVE_POD_NAME ?? null,
    requestsPerSecond: set.VARVE_KUBERNETES_REQUESTS ?? null,
  };
}
