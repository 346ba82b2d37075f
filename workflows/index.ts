/** Entry of the workflow bundle: every workflow type by its registered name. */
export { applyDream } from './apply-dream.ts';
export { dream } from './dream.ts';
export { dreamTick } from './dream-tick.ts';
export { flushSession } from './flush-session.ts';
export { flushTick } from './flush-tick.ts';
export { compact } from './compact.ts';
export { reembed } from './reembed.ts';
export { refreshTick } from './refresh-tick.ts';
export { retentionTick } from './retention-tick.ts';
export { tenantRefresh } from './tenant-refresh.ts';
