/** Due variants in the batch window of their tenant. */
import { HORIZON_MS, type WindowReading } from '../refresh/refresh-contract.ts';
import type { Variant } from '../records/variant.ts';

/**
 * The reading of a window with the variants that are due soon, the earliest first. They close no
 * window that is open: then they are made with the batches of that window.
 */
export function withVariants(
  reading: WindowReading,
  due: readonly Variant[],
  now: number,
): WindowReading {
  const soon = due.filter(({ dueAt }) => dueAt !== null && dueAt <= now + HORIZON_MS);
  const [first] = soon;
  if (first === undefined) return reading;
  const layers = new Set([...layersOf(reading), ...soon.map(({ layer }) => layer)]);
  if (reading.kind === 'Open') {
    return { ...reading, pending: reading.pending + soon.length, layers: [...layers] };
  }
  return {
    kind: 'Open',
    wanted: reading.wanted,
    closesInMs: Math.max(0, (first.dueAt ?? now) - now),
    pending: soon.length,
    layers: [...layers],
    urgent: false,
  };
}

function layersOf(reading: WindowReading) {
  return reading.kind === 'Open' ? reading.layers : [];
}
