/** The differences between two policies, in the words of the YAML: `layers.team.maxAge 3d → 1d`. */
import { formatDuration } from '#core/duration.ts';
import { derivedId } from '#core/events/event-id.ts';
import { canonicalJson, type Digest } from '#core/hash.ts';
import type { Store } from '#core/ports/store.ts';
import { ALL_SUBJECTS, type DreamPolicy } from '#core/records/dream-policy.ts';
import type { EventRecord } from '#core/records/event.ts';
import type { PolicyRecord, TenantPolicy } from '#core/records/policy.ts';
import { formatDollars } from '#crds/duration-and-price-fields.ts';

/** Changes listed by name; further ones are only counted. */
const CHANGES_LISTED_MAX = 10;
const VALUE_LENGTH_MAX = 40;

/**
 * Returns the changed fields, separated by semicolons; empty if nothing differs. Subjects of dreams
 * are counted, never named.
 */
export function describeChanges(before: TenantPolicy, after: TenantPolicy): string {
  const { dreams: oldDreams = [], ...oldFields } = before;
  const { dreams = [], ...fields } = after;
  const changes = [...changesOf(oldFields, fields), ...dreamChanges(oldDreams, dreams)];
  const more = changes.length - CHANGES_LISTED_MAX;
  const listed = changes.slice(0, CHANGES_LISTED_MAX);
  return [...listed, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/**
 * Returns why the hash differs. It may differ without a change if versions of Varve hash
 * differently.
 */
export function changedReason(before: TenantPolicy, after: TenantPolicy): string {
  const changes = describeChanges(before, after);
  return changes === '' ? 'Changed: how the policy is stored' : `Changed: ${changes}`;
}

function changesOf(before: object, after: object, place: readonly string[] = []): string[] {
  const old = fieldsOf(before, place);
  const now = fieldsOf(after, place);
  const paths = new Set([...old.keys(), ...now.keys()]);
  return [...paths]
    .filter((path) => old.get(path) !== now.get(path))
    .map((path) => `${path} ${old.get(path) ?? 'none'} → ${now.get(path) ?? 'none'}`);
}

/** A dream that is added or removed is one change, shown by its schedule. */
function dreamChanges(
  before: readonly DreamPolicy[],
  after: readonly DreamPolicy[],
): readonly string[] {
  const old = new Map(before.map((dream) => [dream.name, dream]));
  const now = new Map(after.map((dream) => [dream.name, dream]));
  const timesOf = (dream: DreamPolicy | undefined): string =>
    dream === undefined ? 'none' : `${dream.cron} ${dream.timeZone}`;
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [was, is] = [old.get(name), now.get(name)];
    const place = ['dreams', name];
    if (was === undefined || is === undefined) {
      return [`${place.join('.')} ${timesOf(was)} → ${timesOf(is)}`];
    }
    return [...changesOf(settingsOf(was), settingsOf(is), place), ...subjectChanges(was, is)];
  });
}

/** Leaves out the subjects, which `subjectChanges` reports. */
function settingsOf(dream: DreamPolicy): object {
  return { ...dream, agents: null, users: null };
}

function subjectChanges(before: DreamPolicy, after: DreamPolicy): readonly string[] {
  return (['agents', 'users'] as const).flatMap((kind) => {
    const [was, is] = [before[kind], after[kind]];
    if (was.join('\n') === is.join('\n')) return [];
    const words = countOf(was) === countOf(is) ? 'others' : countOf(is);
    return [`dreams.${after.name}.${kind} ${countOf(was)} → ${words}`];
  });
}

function countOf(ids: readonly string[]): string {
  return ids.includes(ALL_SUBJECTS) ? 'all' : String(ids.length);
}

/** Returns every field as text, by its path. */
function fieldsOf(policy: object, place: readonly string[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  collect(policy, place, fields);
  return fields;
}

function collect(value: object, path: readonly string[], fields: Map<string, string>): void {
  for (const [key, inner] of Object.entries(value) as [string, unknown][]) {
    const place = [...path, key];
    if (typeof inner === 'object' && inner !== null && !Array.isArray(inner)) {
      collect(inner, place, fields);
    } else if (inner !== null) {
      fields.set(writtenPath(place), writtenValue(key, inner));
    }
  }
}

/** Fields of the compiled policy that have another name in the YAML. */
const WRITTEN_NAMES: Readonly<Record<string, string>> = {
  limitMicroDollars: 'dollars',
  limitTokens: 'tokens',
  urgentDebounceMs: 'refresh.urgentDebounce',
  onRecipeChange: 'refresh.onRecipeChange',
  transcriptRetentionDays: 'retention.transcriptDays',
  auditRetentionDays: 'retention.auditDays',
  statementLayers: 'extraction.layers',
  sessionSilenceMs: 'sessions.endAfterSilence',
};

function writtenPath(path: readonly string[]): string {
  return path.map((key) => WRITTEN_NAMES[key] ?? key.replace(/Ms$/, '')).join('.');
}

function writtenValue(key: string, value: unknown): string {
  if (typeof value === 'number' && key.endsWith('Ms')) return formatDuration(value);
  if (typeof value === 'number' && key === 'limitMicroDollars') return formatDollars(value);
  if (Array.isArray(value)) return `[${value.join(', ')}]`;
  const text = String(value);
  return text.length <= VALUE_LENGTH_MAX ? text : `${text.slice(0, VALUE_LENGTH_MAX)}…`;
}

/** Returns the hash of a policy: equal for equal policies, whatever the order of their fields. */
export function policyHash(digest: Digest, policy: TenantPolicy): string {
  return digest(canonicalJson(policy));
}

/** A missing event is written for this long, as long as any outage; older events may be cleared. */
const OWED_MS = 7 * 24 * 60 * 60_000;

/**
 * Returns the event of a policy that came into force. Its id derives from the record, so it is
 * always the same: if a process crashed after the record, the next one writes the missing event,
 * and never twice.
 */
export function policyEvent(record: PolicyRecord, digest: Digest): EventRecord {
  const { tenant, generation, hash, owner, appliedAt } = record;
  return {
    tenant,
    id: derivedId(digest, appliedAt, [tenant, generation, owner.uid, hash]),
    at: appliedAt,
    type: 'memory_policy_applied',
    attributes: { generation, hash, owner: owner.uid },
  };
}

/**
 * Writes the event if it is missing; otherwise only reads. Call it once per process and policy: a
 * follower that has read past the event's time sees it only in a new listing.
 */
export async function ensurePolicyEvent(
  record: PolicyRecord,
  { events }: Pick<Store, 'events'>,
  { digest, now }: { readonly digest: Digest; readonly now: number },
): Promise<void> {
  if (now - record.appliedAt > OWED_MS) return;
  const event = policyEvent(record, digest);
  const justBefore = event.id.slice(0, -1);
  const [found] = await events.list(record.tenant, { afterId: justBefore, limit: 1 });
  if (found?.id !== event.id) await events.append(event);
}
