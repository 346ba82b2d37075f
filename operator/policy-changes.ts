/** What differs between two policies, in the words of the YAML: `layers.team.maxAge 3d → 1d`. */
import { formatDollars } from '#crds/values.ts';
import { formatDuration } from '#core/duration.ts';
import type { TenantPolicy } from '#core/policy.ts';

/** Changes listed by name; further ones are counted. */
const CHANGES_LISTED_MAX = 10;
const VALUE_LENGTH_MAX = 40;

/** The changed fields, separated by semicolons; empty where nothing differs. */
export function describeChanges(before: TenantPolicy, after: TenantPolicy): string {
  const old = fieldsOf(before);
  const now = fieldsOf(after);
  const paths = new Set([...old.keys(), ...now.keys()]);
  const changes = [...paths]
    .filter((path) => old.get(path) !== now.get(path))
    .map((path) => `${path} ${old.get(path) ?? 'none'} → ${now.get(path) ?? 'none'}`);
  const more = changes.length - CHANGES_LISTED_MAX;
  const listed = changes.slice(0, CHANGES_LISTED_MAX);
  return [...listed, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/** Every field by its path, as text. */
function fieldsOf(policy: TenantPolicy): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  collect(policy, [], fields);
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
