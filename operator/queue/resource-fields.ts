/** How a line of the log names the resource that a reconcile was for. */

export interface ResourceFields {
  /** `namespace/name`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Never as `key`: a log redacts fields of that name. @param key of a queue, `namespace/name`; names
 * of Kubernetes have no slash
 */
export function resourceFields(key: string): ResourceFields {
  const slash = key.indexOf('/');
  return {
    resource: key,
    namespace: slash === -1 ? '' : key.slice(0, slash),
    name: key.slice(slash + 1),
  };
}
