/** An informer on the model server, in virtual time, with everything that it reports. */
import type { OperatorMetrics } from '#core/ports/metrics.ts';
import type { Log } from '#core/ports/platform.ts';
import type { ObjectChange } from '#operator/informer/object-cache.ts';
import { createInformer, type InformerOptions } from '#operator/informer/informer.ts';
import { virtualTime } from '../virtual-time.ts';
import { NOTES, objectServer } from './object-server.ts';

/** @param random the chance that it draws; by default always the least */
export function watched(options: Partial<InformerOptions> = {}, random = () => 0) {
  const server = objectServer();
  const time = virtualTime();
  const changes: ObjectChange[] = [];
  const reconnects: string[] = [];
  const errors: string[] = [];
  const stop = new AbortController();
  const metrics: OperatorMetrics = {
    count: (_name, labels) => {
      if ('reason' in labels) reconnects.push(String(labels.reason));
    },
    observe: () => undefined,
    set: () => undefined,
  };
  const log: Log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (_fields, message) => errors.push(message),
  };
  const informer = createInformer({
    api: server.api,
    type: NOTES,
    onChange: (change) => changes.push(change),
    timers: time.timers({ random }),
    metrics,
    log,
    ...options,
  });
  return {
    server,
    time,
    informer,
    changes,
    reconnects,
    errors,
    start: () => informer.run(stop.signal),
    stop: () => stop.abort(),
    /** Names and versions, of the cache and of the server: equal when it is in step. */
    cached: () => versionsOf(informer.objects.list()),
    served: () => versionsOf(server.state()),
  };
}

function versionsOf(
  objects: readonly { metadata: { name: string; resourceVersion?: string } }[],
): readonly string[] {
  return objects
    .map(({ metadata }) => `${metadata.name}@${String(metadata.resourceVersion)}`)
    .toSorted();
}
