/**
 * What the operator reads of any object: names that it and the people who use it share, what
 * metadata says by them, and the conditions of a status, known by type, with times that only move
 * when the status does.
 */
import type { ObjectMeta, KubernetesObject, ObjectPlace } from '#core/ports/kubernetes-api.ts';
import { API_GROUP, DEFAULT_NAMESPACE } from '#crds/metadata.ts';
import { Condition } from '#crds/status.ts';

/** Set before the first write outside the cluster, taken away after the last. */
export const TENANT_FINALIZER = `${API_GROUP}/tenant`;
/** `"true"`: the resource is looked at, and nothing of it is enforced. */
export const PAUSED_ANNOTATION = `${API_GROUP}/paused`;
/** `"true"`: the resource may go without anything being cleaned up. */
export const FORCE_RELEASE_ANNOTATION = `${API_GROUP}/force-release`;
/** Who owns the fields of a status. */
export const STATUS_OWNER = 'varve-operator';

/** Of an object of a server, or of a resource of a file. */
export function isPaused({
  annotations,
}: {
  readonly annotations?: ObjectMeta['annotations'] | undefined;
}): boolean {
  return annotations?.[PAUSED_ANNOTATION] === 'true';
}

export function isForceReleased({ annotations }: ObjectMeta): boolean {
  return annotations?.[FORCE_RELEASE_ANNOTATION] === 'true';
}

export function isDeleting({ deletionTimestamp }: ObjectMeta): boolean {
  return deletionTimestamp !== undefined;
}

export interface NamespacedPlace extends ObjectPlace {
  readonly namespace: string;
}

/** Keys of queues: `namespace/name`, as people write them. */
export function keyOf({ namespace, name }: NamespacedPlace): string {
  return `${namespace}/${name}`;
}

export function placeOf({ metadata }: KubernetesObject): NamespacedPlace {
  return { namespace: metadata.namespace ?? DEFAULT_NAMESPACE, name: metadata.name };
}

/** Names of Kubernetes have no slash, so the first one parts namespace and name. */
export function placeOfKey(key: string): NamespacedPlace {
  const at = key.indexOf('/');
  return { namespace: key.slice(0, at), name: key.slice(at + 1) };
}

/**
 * What is found of a condition, before it is known since when. The message says what is so, and the
 * next useful command where something is to be done.
 */
export type ConditionState = Pick<Condition, 'status' | 'reason' | 'message'>;

/** The API server refuses more; people read a few lines. */
const MESSAGE_LENGTH_MAX = 2_000;

/** The findings as conditions, in their order; the time is carried over while the status stays. */
export function conditionsOf(
  findings: Readonly<Record<string, ConditionState>>,
  before: readonly Condition[],
  { generation, now }: { generation: number; now: number },
): Condition[] {
  return Object.entries(findings).map(([type, { status, reason, message }]) => {
    const old = before.find((condition) => condition.type === type);
    const isSame = old?.status === status;
    return {
      type,
      status,
      reason,
      message: shortened(message),
      observedGeneration: generation,
      lastTransitionTime: isSame ? old.lastTransitionTime : timeText(now),
    };
  });
}

/** RFC 3339 in UTC to the second, as Kubernetes writes times. */
export function timeText(at: number): string {
  return new Date(at).toISOString().replace(/\.\d{3}Z$/u, 'Z');
}

/** The conditions that a status has now; none where it has no status, or another program's. */
export function conditionsIn(object: KubernetesObject): readonly Condition[] {
  const conditions = fieldOf(object['status'], 'conditions');
  if (!Array.isArray(conditions)) return [];
  return conditions.flatMap((condition) => {
    const read = Condition.safeParse(condition);
    return read.success ? [read.data] : [];
  });
}

/** Null where the status has no such condition. */
export function readyIn(object: KubernetesObject): Condition | null {
  return conditionsIn(object).find(({ type }) => type === 'Ready') ?? null;
}

/** A field of what the server sent, whatever that is. */
export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

export function found(
  status: ConditionState['status'],
  reason: string,
  message: string,
): ConditionState {
  return { status, reason, message };
}

/** What a resource says that refers to a tenant which is not there. */
export function tenantNotFound(name: string, namespace: string): ConditionState {
  const list = `kubectl get memorytenants -n ${namespace}`;
  const message = `There is no MemoryTenant ${name} in the namespace. See: ${list}`;
  return found('False', 'TenantNotFound', message);
}

/** The first of those that are not True; `otherwise` where all are. */
export function firstUnmet(
  findings: readonly ConditionState[],
  otherwise: ConditionState,
): ConditionState {
  return findings.find(({ status }) => status !== 'True') ?? otherwise;
}

function shortened(message: string): string {
  if (message.length <= MESSAGE_LENGTH_MAX) return message;
  return `${message.slice(0, MESSAGE_LENGTH_MAX - 1)}…`;
}
