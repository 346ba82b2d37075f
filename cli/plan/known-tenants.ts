/** The tenants of the store, as what the resources of a plan may mean without saying it. Pure. */
import { VarveError } from '#core/errors.ts';
import { isReleased, type PolicyRecord } from '#core/records/policy-record.ts';
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import type { Elsewhere } from '#crds/read-resources.ts';
import { installationOf } from './plan-installation.ts';

/** Namespaces that an error lists. */
const NAMES_LISTED_MAX = 10;

/** What decides where a ModelProvider belongs. */
export interface KnownProviders {
  readonly providers: readonly ModelProviderRecord[];
  /** Of the release, where the process knows it; null otherwise. */
  readonly podNamespace: string | null;
}

/**
 * What is known beside the files. A file that names no namespace goes where `kubectl` is told to
 * put it, which nobody says here: so it is taken for the resource that the store knows by its
 * tenant id and name; and a ModelProvider for that of the store, or else of the only installation.
 * @param namespace of resources that name none; without it, that of the tenant in the store
 */
export function elsewhereOf(
  records: readonly PolicyRecord[],
  namespace: string | undefined,
  known: KnownProviders = { providers: [], podNamespace: null },
): Elsewhere {
  return {
    tenants: declared(records).map(({ owner }) => `${owner.namespace}/${owner.name}`),
    namespaceOf: (value) =>
      namespace ??
      (fieldOf(value, 'kind') === 'ModelProvider'
        ? namespaceOfProvider(textAt(fieldOf(value, 'metadata'), 'name'), records, known)
        : meantNamespace(value, records)),
  };
}

function namespaceOfProvider(
  name: string | null,
  policies: readonly PolicyRecord[],
  { providers, podNamespace }: KnownProviders,
): string | null {
  const record = providers.find((one) => one.name === name);
  if (record !== undefined) return record.owner.namespace;
  return installationOf(null, { policies, providers, podNamespace }).namespace;
}

/** The record of the tenant that a MemoryTenant of this namespace and name declares. */
export function recordNamed(
  records: readonly PolicyRecord[],
  place: { readonly namespace: string; readonly name: string },
): PolicyRecord | null {
  const { namespace, name } = place;
  const isMeant = ({ owner }: PolicyRecord) => owner.namespace === namespace && owner.name === name;
  return declared(records).find(isMeant) ?? null;
}

/** Those that have a MemoryTenant. */
function declared(records: readonly PolicyRecord[]): readonly PolicyRecord[] {
  return records.filter((record) => !isReleased(record));
}

function meantNamespace(value: unknown, records: readonly PolicyRecord[]): string | null {
  const [name, spec] = [textAt(fieldOf(value, 'metadata'), 'name'), fieldOf(value, 'spec')];
  if (fieldOf(value, 'kind') === 'MemoryTenant') {
    const id = textAt(spec, 'tenantId') ?? name;
    const record = records.find(({ tenant, owner }) => tenant === id && owner.name === name);
    return record?.owner.namespace ?? null;
  }
  const meant = textAt(fieldOf(spec, 'tenantRef'), 'name');
  return meant === null ? null : onlyNamespace(meant, records);
}

/** @throws VarveError INVALID_INPUT where several namespaces have a tenant of the name */
function onlyNamespace(name: string, records: readonly PolicyRecord[]): string | null {
  const owners = declared(records).map(({ owner }) => owner);
  const named = owners.filter((owner) => owner.name === name);
  const namespaces = [...new Set(named.map(({ namespace }) => namespace))];
  if (namespaces.length <= 1) return namespaces[0] ?? null;
  const listed = namespaces.slice(0, NAMES_LISTED_MAX).join(', ');
  throw new VarveError(
    'INVALID_INPUT',
    `A resource names no namespace, and a MemoryTenant ${name} is in each of ${listed}. ` +
      'Say which is meant with --namespace.',
  );
}

function textAt(value: unknown, name: string): string | null {
  const found = fieldOf(value, name);
  return typeof found === 'string' ? found : null;
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
