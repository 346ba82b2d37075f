/** What a request to an API server asks for, in the words of RBAC: pure, from method and path. */

export interface ApiRequest {
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  /** As in `leases`; null for paths that name no resource. */
  readonly resource: string | null;
  /** As in `status`; empty for none. */
  readonly subresource: string;
  readonly namespace: string | null;
  readonly name: string | null;
}

const WRITE_VERBS: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);

/** Whether it changes something. */
export function isWrite({ verb }: ApiRequest): boolean {
  return WRITE_VERBS.has(verb);
}

/** As a rule of a role names it: `group/resource/subresource`, without what is empty. */
export function resourceOf({ group, resource, subresource }: ApiRequest): string {
  return [group, resource ?? '', subresource].filter(Boolean).join('/');
}

/** @see https://kubernetes.io/docs/reference/access-authn-authz/authorization */
export function readApiRequest(method: string, url: string): ApiRequest {
  const { pathname, searchParams } = new URL(url, 'http://server');
  const parts = pathname.split('/').filter(Boolean).map(decodeURIComponent);
  const [root] = parts;
  const isResource = (root === 'api' && parts.length > 2) || (root === 'apis' && parts.length > 3);
  if (!isResource) {
    const verb = method.toLowerCase();
    const none = { group: '', resource: null, subresource: '', namespace: null, name: null };
    return { verb, ...none };
  }
  const group = root === 'apis' ? (parts[1] ?? '') : '';
  const rest = parts.slice(root === 'apis' ? 3 : 2);
  const isInNamespace = rest[0] === 'namespaces' && rest.length > 2;
  const namespace = isInNamespace ? (rest[1] ?? null) : null;
  const [resource = '', name = null, subresource = ''] = isInNamespace ? rest.slice(2) : rest;
  const isWatch = ['true', '1'].includes(searchParams.get('watch') ?? '');
  const verb = verbOf(method, { isWatch, isNamed: name !== null });
  return { verb, group, resource, subresource, namespace, name };
}

function verbOf(method: string, asked: { isWatch: boolean; isNamed: boolean }): string {
  if (method === 'POST') return 'create';
  if (method === 'PUT') return 'update';
  if (method === 'PATCH') return 'patch';
  if (method === 'DELETE') return asked.isNamed ? 'delete' : 'deletecollection';
  if (asked.isWatch) return 'watch';
  return asked.isNamed ? 'get' : 'list';
}
