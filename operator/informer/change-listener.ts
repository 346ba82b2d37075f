/** Tells a listener of changes; one that throws for an object is told of it again later. */
import type { ResourceType } from '#core/ports/kubernetes-api.ts';
import type { Log } from '#core/ports/platform.ts';
import { keyOf, type ObjectChange } from './object-cache.ts';

/** Objects remembered for which the listener failed; further ones wait for their next change. */
const FAILED_MAX = 10_000;

export interface ChangeListener {
  tell(change: ObjectChange): void;
  /** What a list changed, and once more what the listener failed for before. */
  tellAll(changes: readonly ObjectChange[]): void;
}

export interface ListenerOptions {
  readonly type: ResourceType;
  readonly onChange: (change: ObjectChange) => void;
  readonly log: Log;
}

export function createChangeListener({ type, onChange, log }: ListenerOptions): ChangeListener {
  const failed = new Map<string, ObjectChange>();
  const tell = (change: ObjectChange): void => {
    const metadata = (change.new ?? change.old)?.metadata;
    if (metadata === undefined) return;
    const { namespace, name } = metadata;
    const key = keyOf(metadata);
    failed.delete(key);
    try {
      onChange(change);
    } catch (error) {
      log.error({ error, kind: type.kind, namespace, name }, 'failed to queue change');
      if (failed.size < FAILED_MAX) failed.set(key, change);
    }
  };
  return {
    tell,
    tellAll(changes) {
      const again = [...failed.values()];
      // A newer change of the same object follows and takes its place.
      for (const change of [...again, ...changes]) tell(change);
    },
  };
}
