/** The beginning of every Varve resource: its version, kind and metadata. */
import { z } from 'zod';
import { utf8Bytes } from '#core/storable-text.ts';
import { field } from './field-docs.ts';
import { stays, withRules } from './kubernetes-extensions.ts';

export const API_GROUP = 'memory.varve.dev';
export const API_VERSION = `${API_GROUP}/v1alpha1`;
export const DEFAULT_NAMESPACE = 'default';

const NAME_LENGTH_MAX = 253;
const NAMESPACE_LENGTH_MAX = 63;
const LABEL_TEXT = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const NAME_PATTERN = new RegExp(String.raw`^${LABEL_TEXT}(?:\.${LABEL_TEXT})*$`);
const NAMESPACE_PATTERN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const LABELS_MAX = 256;
const KEY_NAME_LENGTH_MAX = 63;
/** The part of a key after its prefix, and the value of a label. */
const LABEL_PATTERN = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
/** Kubernetes allows 256 KiB for all annotations together; a folder has the same limit. */
const ANNOTATIONS_BYTES_MAX = 262_144;

export const ResourceName = field(z.string().min(1).max(NAME_LENGTH_MAX).regex(NAME_PATTERN), {
  is: 'The name of the resource, unique within its namespace and kind.',
  expected: 'at most 253 characters: a-z, 0-9, - and ., the first and last a-z or 0-9',
  example: 'acme',
});

export const Namespace = field(z.string().max(NAMESPACE_LENGTH_MAX).regex(NAMESPACE_PATTERN), {
  is: `The namespace of the resource; "${DEFAULT_NAMESPACE}" if none is given.`,
  expected: 'a namespace of at most 63 characters: a-z, 0-9 and -',
  example: DEFAULT_NAMESPACE,
});

const Labels = field(
  boundedMap((labels) => Object.values(labels).every(isLabel)),
  {
    is: 'Labels, as in Kubernetes. Varve does not read them.',
    expected: 'a mapping of texts of at most 63 characters',
    example: '{ owner: platform-team }',
  },
);

const Annotations = field(boundedMap(fitTogether), {
  is: 'Annotations, as in Kubernetes. Varve reads only those of memory.varve.dev.',
  expected: 'a mapping of texts',
  example: '{ example.com/ticket: "OPS-112" }',
});

export const Metadata = field(
  z.strictObject({
    name: ResourceName,
    namespace: Namespace.optional(),
    labels: Labels.optional(),
    annotations: Annotations.optional(),
  }),
  {
    is: 'Name and namespace of the resource.',
    expected: 'a mapping with a name',
    example: '{ name: acme }',
  },
);
export type Metadata = z.infer<typeof Metadata>;

/** The MemoryTenant that a resource is for. */
export function tenantRefField(is: string) {
  return field(withRules(z.strictObject({ name: ResourceName }), stays('tenantRef')), {
    is,
    expected: 'a mapping with the name of a MemoryTenant',
    example: '{ name: acme }',
  });
}

export function resourceOf<K extends string, S extends z.ZodType>(kind: K, spec: S) {
  return z.strictObject({
    apiVersion: z.literal(API_VERSION),
    kind: z.literal(kind),
    metadata: Metadata,
    spec,
  });
}

export function namespaceOf(resource: { readonly metadata: Metadata }): string {
  return resource.metadata.namespace ?? DEFAULT_NAMESPACE;
}

function boundedMap(fits: (map: Readonly<Record<string, string>>) => boolean) {
  return z
    .record(z.string(), z.string().max(ANNOTATIONS_BYTES_MAX))
    .refine((map) => Object.keys(map).length <= LABELS_MAX)
    .refine((map) => Object.keys(map).every(isQualifiedName) && fits(map));
}

/** Whether a key is a name with an optional domain before it: `example.com/ticket`. */
function isQualifiedName(key: string): boolean {
  const parts = key.split('/');
  const [name = '', prefix] = parts.toReversed();
  if (parts.length > 2 || name === '' || !isLabel(name)) return false;
  return prefix === undefined || (prefix.length <= NAME_LENGTH_MAX && NAME_PATTERN.test(prefix));
}

function isLabel(text: string): boolean {
  return text === '' || (text.length <= KEY_NAME_LENGTH_MAX && LABEL_PATTERN.test(text));
}

function fitTogether(annotations: Readonly<Record<string, string>>): boolean {
  const bytes = Object.entries(annotations).flat().map(utf8Bytes);
  return bytes.reduce((sum, each) => sum + each, 0) <= ANNOTATIONS_BYTES_MAX;
}
