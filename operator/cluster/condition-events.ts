/** Which changes of conditions are worth an Event: pure. */
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { EventNews } from '../events/event-object.ts';
import type { Condition } from '#crds/status.ts';

/** Conditions whose turns are how memory works: they would be an Event every few minutes. */
const QUIET: ReadonlySet<string> = new Set(['Fresh']);

/**
 * One Event for each condition that turned to another status or reason, Ready where no other says
 * the same. That all is well from the first is no news.
 */
export function newsOf(
  regarding: KubernetesObject,
  before: readonly Condition[],
  after: readonly Condition[],
): readonly EventNews[] {
  const turned = after.filter((condition) => {
    const { type, status, reason } = condition;
    const old = before.find((one) => one.type === type);
    if (status === 'Unknown' || QUIET.has(type)) return false;
    if (status === 'True') return old?.status === 'False';
    return old?.status !== status || old.reason !== reason;
  });
  const others = turned.filter(({ type }) => type !== 'Ready');
  const told = turned.filter(
    ({ type, reason }) => type !== 'Ready' || others.every((other) => other.reason !== reason),
  );
  return told.map(({ type, status, reason, message }) => ({
    regarding,
    type: status === 'True' ? 'Normal' : 'Warning',
    reason,
    action: `Check${type}`,
    note: message,
  }));
}
