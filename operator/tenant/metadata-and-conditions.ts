/**
 * What the operator reads of any object: the names in its metadata that people use too, and the
 * conditions of its status. Conditions are known by type; their time changes only when their status
 * does.
 */
import { fieldOf } from '#core/is-record.ts';
import { shortenToUnits } from '#core/storable-text.ts';
import type { ObjectMeta, KubernetesObject, ObjectPlace } from '#core/ports/kubernetes-api.ts';
import type { Platform } from '#core/ports/platform.ts';
import { API_GROUP, DEFAULT_NAMESPACE } from '#crds/metadata.ts';
import { Condition } from '#crds/status.ts';

/** Set before the first write outside the cluster, removed after the last. */
export const TENANT_FINALIZER = `${API_GROUP}/tenant`;
/** `"true"`: the resource is read, but nothing of it is enforced. */
export const PAUSED_ANNOTATION = `${API_GROUP}/paused`;
/** `"true"`: the resource may be deleted without any cleanup. */
export const FORCE_RELEASE_ANNOTATION = `${API_GROUP}/force-release`;
/** The owner of the status fields in server-side apply. */
export const STATUS_OWNER = 'varve-operator';

/** Whether an object of a server, or a resource of a file, is paused. */
export function hasPausedAnnotation({
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

/** Returns the key of queues: `namespace/name`, as people write it. */
export function namespacedKey({ namespace, name }: NamespacedPlace): string {
  return `${namespace}/${name}`;
}

export function placeOfObject({ metadata }: KubernetesObject): NamespacedPlace {
  return { namespace: metadata.namespace ?? DEFAULT_NAMESPACE, name: metadata.name };
}

export function keyOfObject(object: KubernetesObject): string {
  return namespacedKey(placeOfObject(object));
}

/** Names in Kubernetes have no slash, so the first one separates namespace and name. */
export function placeOfKey(key: string): NamespacedPlace {
  const at = key.indexOf('/');
  return { namespace: key.slice(0, at), name: key.slice(at + 1) };
}

/**
 * A condition without its time. The message says what is true and, if something is to be done, the
 * next useful command.
 */
export type ConditionState = Pick<Condition, 'status' | 'reason' | 'message'>;

/** The API server refuses more; people read a few lines. */
const MESSAGE_LENGTH_MAX = 2_000;

/** When a status is written, and over what. */
export interface StatusMoment {
  /** Generation of the resource. */
  readonly generation: number;
  readonly now: number;
  /** The conditions until now. */
  readonly before: readonly Condition[];
}

export function momentOf(
  object: KubernetesObject,
  { clock }: Pick<Platform, 'clock'>,
): StatusMoment {
  const { generation = 0 } = object.metadata;
  return { generation, now: clock(), before: conditionsIn(object) };
}

/** Returns the findings as conditions, in their order; the time is kept while the status stays. */
export function statusConditions(
  findings: Readonly<Record<string, ConditionState>>,
  { generation, now, before }: StatusMoment,
): Condition[] {
  return Object.entries(findings).map(([type, { status, reason, message }]) => {
    const old = before.find((condition) => condition.type === type);
    const isSame = old?.status === status;
    return {
      type,
      status,
      reason,
      message: shortenToUnits(message, MESSAGE_LENGTH_MAX),
      observedGeneration: generation,
      lastTransitionTime: isSame ? old.lastTransitionTime : timeText(now),
    };
  });
}

/** RFC 3339 in UTC to the second, as Kubernetes writes times. */
export function timeText(at: number): string {
  return new Date(at).toISOString().replace(/\.\d{3}Z$/u, 'Z');
}

/** Returns the conditions of a status; none if there is no status, or another program wrote it. */
export function conditionsIn(object: KubernetesObject): readonly Condition[] {
  const conditions = fieldOf(object['status'], 'conditions');
  if (!Array.isArray(conditions)) return [];
  return conditions.flatMap((condition) => {
    const read = Condition.safeParse(condition);
    return read.success ? [read.data] : [];
  });
}

/** Returns Ready; null if the status has none. */
export function readyIn(object: KubernetesObject): Condition | null {
  return conditionsIn(object).find(({ type }) => type === 'Ready') ?? null;
}

export function conditionState(
  status: ConditionState['status'],
  reason: string,
  message: string,
): ConditionState {
  return { status, reason, message };
}

/** The finding for a resource that refers to a missing tenant. */
export function tenantNotFound(name: string, namespace: string): ConditionState {
  const list = `kubectl get memorytenants -n ${namespace}`;
  const message = `There is no MemoryTenant ${name} in the namespace. See: ${list}`;
  return conditionState('False', 'TenantNotFound', message);
}

/** Why a tenant has not applied what names it, in brackets; nothing if it is only about to. */
export function unreadyReason(tenantReady: Condition | null): string {
  return tenantReady === null || tenantReady.status === 'True' ? '' : ` (${tenantReady.reason})`;
}

/** Returns the first finding that is not True; `otherwise` if all are. */
export function firstUnmet(
  findings: readonly ConditionState[],
  otherwise: ConditionState,
): ConditionState {
  return findings.find(({ status }) => status !== 'True') ?? otherwise;
}
