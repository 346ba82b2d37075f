/** Which DeepDreams are to be in the policy of their tenant, and with what: pure. */
import { DREAMS_PER_TENANT_MAX, type DreamPolicy } from '#core/records/dream-policy.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { DeepDream } from '#crds/deep-dream.ts';
import type { Reading } from '#crds/read-object.ts';
import { compileDream } from './compile.ts';
import { byAge } from './precedence.ts';
import { isPaused } from './annotations.ts';

/** A DeepDream that names a tenant. */
export interface SeenDream {
  readonly object: KubernetesObject;
  readonly reading: Reading<DeepDream>;
}

/** The oldest ones, as many as a tenant may have. */
export function heardDreams(dreams: readonly SeenDream[]): readonly SeenDream[] {
  return dreams.toSorted((a, b) => byAge(a.object, b.object)).slice(0, DREAMS_PER_TENANT_MAX);
}

/**
 * One that can't be read, or is paused, stays as it was last applied, and is left out where it
 * never was.
 * @param last the dreams of the policy in the store
 */
export function desiredDreams(
  dreams: readonly SeenDream[],
  last: readonly DreamPolicy[],
): readonly DreamPolicy[] {
  return heardDreams(dreams).flatMap(({ object, reading }) => {
    const isHeard = reading.kind === 'Valid' && !isPaused(object.metadata);
    if (isHeard) return [compileDream(reading.resource)];
    return last.filter(({ name }) => name === object.metadata.name);
  });
}
