/** What a process remembers of its folder between two looks; owned by who looks again and again. */
import type { MemoryTenant } from '#crds/memory-tenant.ts';
import type { ModelProvider } from '#crds/model-provider.ts';
import type { Resources } from '#crds/read-resources.ts';
import type { GoneResources } from './deleted-resources.ts';

export interface LastRead {
  /** What the folder said when it was last read without a mistake; null before it was. */
  resources: Resources | null;
  /** Each until it is let go of, or is there again. */
  gone: GoneResources<MemoryTenant>;
  goneProviders: GoneResources<ModelProvider>;
  /** Records deleted so far by this process, by tenant; an entry lives as long as its erasure. */
  readonly erased: Map<string, number>;
}

export function nothingRead(): LastRead {
  return { resources: null, gone: new Map(), goneProviders: new Map(), erased: new Map() };
}
