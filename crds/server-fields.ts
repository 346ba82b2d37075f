/**
 * What an API server adds to a resource and no person writes: left out before a resource is
 * checked, so that `kubectl get -o yaml` can be read back and a misspelt field is still found.
 */
const OF_METADATA: ReadonlySet<string> = new Set([
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'finalizers',
  'generateName',
  'generation',
  'managedFields',
  'ownerReferences',
  'resourceVersion',
  'selfLink',
  'uid',
]);

/** The same resource as a person would have written it; what is no mapping stays as it is. */
export function withoutServerFields(resource: unknown): unknown {
  if (!isMapping(resource)) return resource;
  const { status: _, ...written } = resource;
  const { metadata } = written;
  if (!isMapping(metadata)) return written;
  const own = Object.entries(metadata).filter(([name]) => !OF_METADATA.has(name));
  return { ...written, metadata: Object.fromEntries(own) };
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
