/**
 * A leader whom the store or Temporal refuses can do nothing any more, and looks healthy while it
 * does: it ends, so that whoever leads next has an epoch that both let through.
 */
import type { Log } from '#core/ports/platform.ts';
import { isFenced, type Leadership } from './context.ts';

/** Says so once, however many reconciles meet the fence. Throws on what the work throws. */
export async function endWhenFenced<T>(
  { leadership, log }: { readonly leadership: Leadership; readonly log: Log },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isFenced(error) && leadership.isLeader()) {
      log.error({ epoch: error.details['epoch'] }, WHAT_TO_DO);
      leadership.lose();
    }
    throw error;
  }
}

const WHAT_TO_DO =
  'The store or Temporal refuses this leader, since a later one of the same cluster id wrote to ' +
  'it; the process ends and the next one leads with a later epoch. Where this happens again, ' +
  'another installation writes under the same id: give each its own with --cluster-id, or stop ' +
  'one of them; and look whether the clocks of the nodes are right.';
