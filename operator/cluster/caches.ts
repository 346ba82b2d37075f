/** The caches of the four kinds: one reflector for each kind, or for each kind and namespace. */
import type { KubernetesApi, KubernetesObject, ResourceType } from '#core/ports/kubernetes-api.ts';
import type { OperatorMetrics } from '#core/ports/operator-metrics.ts';
import type { Log } from '#core/ports/platform.ts';
import {
  DEEP_DREAM,
  LAYER_SUMMARY_POLICY,
  MEMORY_TENANT,
  MODEL_PROVIDER,
} from '#crds/resource-types.ts';
import type { WatchHealth } from './health.ts';
import type { Timers } from '../timers.ts';
import type { ObjectChange, ObjectIndex } from '../informer/object-cache.ts';
import { createReflector, IDLE_MS_MAX, type Reflector } from '../informer/reflector.ts';
import { INDEXES, type ObjectSource, type ObjectSources } from './resource-lister.ts';

export interface CachesOptions {
  readonly api: Pick<KubernetesApi, 'list' | 'watch'>;
  /** Null for all. */
  readonly namespaces: readonly string[] | null;
  /** Looked at for ModelProviders, whatever the namespaces are. */
  readonly releaseNamespace: string;
  readonly onChange: (kind: keyof ObjectSources, change: ObjectChange) => void;
  readonly timers: Timers;
  readonly metrics: OperatorMetrics;
  readonly log: Log;
}

export interface Caches {
  readonly sources: ObjectSources;
  hasSynced(): boolean;
  /** Everything that is held, by kind. */
  byKind(): ReadonlyMap<string, readonly KubernetesObject[]>;
  health(): readonly WatchHealth[];
  /** Resolves when the signal is aborted. */
  run(signal: AbortSignal): Promise<void>;
}

const TYPES: Readonly<Record<keyof ObjectSources, ResourceType>> = {
  tenants: MEMORY_TENANT,
  layerPolicies: LAYER_SUMMARY_POLICY,
  providers: MODEL_PROVIDER,
  dreams: DEEP_DREAM,
};

export function createCaches(options: CachesOptions): Caches {
  const reflectors = {
    tenants: reflectorsOf('tenants', options),
    layerPolicies: reflectorsOf('layerPolicies', options),
    providers: reflectorsOf('providers', options),
    dreams: reflectorsOf('dreams', options),
  };
  const all = Object.values(reflectors).flat();
  return {
    sources: {
      tenants: sourceOf(reflectors.tenants),
      layerPolicies: sourceOf(reflectors.layerPolicies),
      providers: sourceOf(reflectors.providers),
      dreams: sourceOf(reflectors.dreams),
    },
    hasSynced: () => all.every((reflector) => reflector.hasSynced()),
    byKind: () => {
      return new Map(
        Object.entries(reflectors).map(([kind, own]) => [
          TYPES[kind as keyof ObjectSources].kind,
          own.flatMap(({ objects }) => objects.list()),
        ]),
      );
    },
    health: () => all.map((reflector) => healthOf(reflector, options.timers.timer())),
    async run(signal) {
      await Promise.all(all.map((reflector) => reflector.run(signal)));
    },
  };
}

function reflectorsOf(kind: keyof ObjectSources, options: CachesOptions): readonly Reflector[] {
  const { api, timers, metrics, log, namespaces, releaseNamespace, onChange } = options;
  const indexes: Readonly<Record<string, ObjectIndex>> = INDEXES[kind];
  const watched =
    kind === 'providers' && namespaces !== null ? [...namespaces, releaseNamespace] : namespaces;
  const selections =
    watched === null ? [{}] : [...new Set(watched)].map((namespace) => ({ namespace }));
  return selections.map((selection) =>
    createReflector({
      api,
      type: TYPES[kind],
      selection,
      indexes,
      onChange: (change) => onChange(kind, change),
      timers,
      metrics,
      log,
    }),
  );
}

function sourceOf(reflectors: readonly Reflector[]): ObjectSource {
  const caches = reflectors.map(({ objects }) => objects);
  return {
    get: (place) => caches.map((cache) => cache.get(place)).find(isThere) ?? null,
    list: () => caches.flatMap((cache) => cache.list()),
    indexed: (index, value) => caches.flatMap((cache) => cache.indexed(index, value)),
  };
}

function isThere(object: KubernetesObject | null): object is KubernetesObject {
  return object !== null;
}

function healthOf(reflector: Reflector, now: number): WatchHealth {
  const [heardAt, triedAt] = [reflector.lastHeardAt(), reflector.lastTriedAt()];
  return {
    kind: reflector.type.kind,
    hasSynced: reflector.hasSynced(),
    silentForMs: heardAt === null ? null : now - heardAt,
    triedForMs: triedAt === null ? null : now - triedAt,
    silenceMsMax: IDLE_MS_MAX,
  };
}
