/** What every resource of Varve begins with. */
import { z } from 'zod';
import { field } from './field.ts';

export const API_GROUP = 'memory.varve.dev';
export const API_VERSION = `${API_GROUP}/v1alpha1`;
export const DEFAULT_NAMESPACE = 'default';

const NAME_LENGTH_MAX = 253;
const NAMESPACE_LENGTH_MAX = 63;
const NAME_PATTERN = /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/;
const NAMESPACE_PATTERN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const LABELS_MAX = 256;
/** Kubernetes allows annotations of 256 KiB in all; a folder holds them to the same. */
const ANNOTATION_LENGTH_MAX = 262_144;

export const ResourceName = field(z.string().max(NAME_LENGTH_MAX).regex(NAME_PATTERN), {
  is: 'The name of the resource, unique within its namespace and kind.',
  expected: 'at most 253 characters: a-z, 0-9, - and ., the first and last a-z or 0-9',
  example: 'acme',
});

const Namespace = field(z.string().max(NAMESPACE_LENGTH_MAX).regex(NAMESPACE_PATTERN), {
  is: `The namespace of the resource; "${DEFAULT_NAMESPACE}" where none is given.`,
  expected: 'a namespace of at most 63 characters: a-z, 0-9 and -',
  example: DEFAULT_NAMESPACE,
});

const Labels = field(boundedMap(NAMESPACE_LENGTH_MAX), {
  is: 'Labels, as in Kubernetes. Varve keeps them and does not read them.',
  expected: 'a mapping of texts of at most 63 characters',
  example: '{ owner: platform-team }',
});

const Annotations = field(boundedMap(ANNOTATION_LENGTH_MAX), {
  is: 'Annotations, as in Kubernetes. Varve keeps them and does not read them.',
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

export function namespaceOf(resource: { readonly metadata: Metadata }): string {
  return resource.metadata.namespace ?? DEFAULT_NAMESPACE;
}

function boundedMap(valueLengthMax: number) {
  const entries = z.record(z.string().max(NAME_LENGTH_MAX), z.string().max(valueLengthMax));
  return entries.refine((map) => Object.keys(map).length <= LABELS_MAX);
}
