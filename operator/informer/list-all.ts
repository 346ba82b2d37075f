/** A whole list, page by page, of one moment. */
import type {
  KubernetesApi,
  KubernetesObject,
  ListOptions,
  ResourceType,
} from '#core/ports/kubernetes-api.ts';
import { VarveError } from '#core/errors.ts';

/** Objects of a page, as client-go has it. */
const PAGE_SIZE = 500;
/** 100,000 objects: more than one process can hold of ours. */
const PAGES_MAX = 200;

export interface WholeList {
  /** All pages are of this version: the token that continues a list names it. */
  readonly version: string;
  readonly objects: readonly KubernetesObject[];
}

/**
 * @throws VarveError CONFLICT (410) where the pages took longer than the server keeps versions;
 * PROVIDER_ERROR where there are too many
 */
export async function listAll(
  api: Pick<KubernetesApi, 'list'>,
  { type, selection }: { readonly type: ResourceType; readonly selection: ListOptions },
  signal: AbortSignal,
): Promise<WholeList> {
  const objects: KubernetesObject[] = [];
  let next: { readonly continueToken?: string } = {};
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const options = { ...selection, limit: PAGE_SIZE, ...next };
    const { items, resourceVersion, continueToken } = await api.list(type, options, signal);
    objects.push(...items);
    if (continueToken === null) return { version: resourceVersion, objects };
    next = { continueToken };
  }
  throw new VarveError(
    'PROVIDER_ERROR',
    `There are more than ${String(PAGES_MAX * PAGE_SIZE)} objects of the kind ${type.kind}. ` +
      'Let several operators watch some of the namespaces each.',
    { details: { kind: type.kind } },
  );
}
