/** A child process that counts one operation and reports its metrics, or does not answer. */
import { SILENT_LOG } from '#core/ports/platform.ts';
import { createPrometheusMetrics } from '#providers/prometheus/metrics-exporter.ts';
import { sendMetrics } from '#cli/stack/worker-child.ts';

const { metrics, page } = createPrometheusMetrics({
  storageSizes: () => Promise.resolve([]),
  oldestStaleAge: () => Promise.resolve(0),
  modelOutageAge: () => Promise.resolve(0),
  timer: () => 0,
  log: SILENT_LOG,
});
metrics.count('memory_operations_total', { operation: 'add' }, 3);
sendMetrics(page);
// Something else keeps a worker alive; here it is this listener, until the parent says so.
process.on('message', (message) => {
  if (message === 'end') process.disconnect();
});
process.channel?.ref();
process.send?.({ kind: 'Ready' });
