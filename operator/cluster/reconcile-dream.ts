/** One DeepDream: its status says what is to be known of it; nothing else is written. */
import { DEEP_DREAM } from '#crds/resource-types.ts';
import { DONE, type ReconcileResult } from '../queue/reconcile-result.ts';
import type { ReconcileRequest } from '../queue/workqueue.ts';
import { conditionsIn } from './conditions.ts';
import type { ClusterContext } from './context.ts';
import { dreamStatus } from './dream-status.ts';
import { isDeleting } from './marks.ts';
import { tenantKeyIn } from './seen.ts';
import { writeStatus } from './write-status.ts';

export function createDreamReconcile(
  context: ClusterContext,
): (request: ReconcileRequest) => Promise<ReconcileResult> {
  return async ({ key, signal }) => {
    const object = context.seen.dream(key);
    if (object === null || isDeleting(object.metadata)) return DONE;
    const reading = context.seen.readDream(object);
    const tenant = context.seen.tenant(tenantKeyIn(object));
    const status = dreamStatus(
      { object, reading, tenant },
      {
        generation: object.metadata.generation ?? 0,
        now: context.platform.clock(),
        before: conditionsIn(object),
      },
    );
    return writeStatus({ type: DEEP_DREAM, object, status, signal }, context);
  };
}
