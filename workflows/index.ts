/** Entry of the workflow bundle: every workflow type by its registered name. */
export { reembed } from './reembed.ts';
export { refreshTick } from './refresh-tick.ts';
export { tenantRefresh } from './tenant-refresh.ts';
