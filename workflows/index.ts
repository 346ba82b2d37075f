/** Entry of the workflow bundle: every workflow type by its registered name. */
export { applyDream } from './dream.ts';
export { dream } from './dream.ts';
export { dreamTick } from './dream.ts';
export { erase } from './erase.ts';
export { flushSession } from './flush-session.ts';
export { flushTick } from './flush-session.ts';
export { compact } from './compact.ts';
export { reembed } from './reembed.ts';
export { refreshTick } from './tenant-refresh.ts';
export { retentionTick } from './compact.ts';
export { tenantRefresh } from './tenant-refresh.ts';
/** Not a workflow: the interceptors around each of them. */
export { interceptors } from './tracing.ts';
