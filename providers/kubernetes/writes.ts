/** What the port writes. Nothing is written that the server's schema does not have. */
import type { KubernetesApi, KubernetesObject, ResourceType } from '#core/ports/kubernetes-api.ts';
import { VarveError } from '#core/errors.ts';
import { objectOf } from './reads.ts';
import { traitsOf, type ApiRequest, type Requests } from './requests.ts';
import { collectionPath, objectPath, withQuery, type Query } from './resource-path.ts';

type Writes = Pick<KubernetesApi, 'create' | 'replace' | 'apply' | 'patch' | 'delete'>;
type Write = Pick<ApiRequest, 'method' | 'path' | 'signal'> & {
  readonly type: ResourceType;
  readonly value: unknown;
  readonly contentType?: string;
};

const JSON_TYPE = 'application/json';
/** JSON is YAML. */
const APPLY_TYPE = 'application/apply-patch+yaml';
const PATCH_TYPE = 'application/json-patch+json';
const UNPROCESSABLE = 422;
/** A field that the server's schema does not have is refused, and not dropped in silence. */
const STRICT: Query = { fieldValidation: 'Strict' };

export function createWrites(requests: Requests): Writes {
  return {
    async create(type, object, { signal } = {}) {
      const path = withQuery(collectionPath(type, object.metadata.namespace), STRICT);
      return write(requests, { type, method: 'POST', path, value: object, signal });
    },
    async replace(type, object, { signal, subresource } = {}) {
      const path = withQuery(objectPath(type, object.metadata, subresource), STRICT);
      return write(requests, { type, method: 'PUT', path, value: object, signal });
    },
    async apply(type, object, { fieldManager, force, subresource, signal }) {
      const path = objectPath(type, object.metadata, subresource);
      return write(requests, {
        type,
        method: 'PATCH',
        path: withQuery(path, { ...STRICT, fieldManager, force }),
        value: object,
        contentType: APPLY_TYPE,
        signal,
      });
    },
    async patch(type, place, { operations, options = {} }) {
      const { subresource, signal } = options;
      const path = withQuery(objectPath(type, place, subresource), STRICT);
      const call = { type, method: 'PATCH', path, signal } as const;
      try {
        return await write(requests, { ...call, value: operations, contentType: PATCH_TYPE });
      } catch (error) {
        throw isPatchRefusal(error) ? patchConflict(error) : error;
      }
    },
    async delete(type, place, preconditions) {
      const value = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions };
      await requests.answer({
        ...traitsOf(type),
        method: 'DELETE',
        path: objectPath(type, place),
        body: { contentType: JSON_TYPE, value },
      });
    },
  };
}

/**
 * The server answers a `test` that fails, and a path that is not there, like an invalid object,
 * but names no field. Both mean that the object is not what the caller thought.
 */
function isPatchRefusal(error: unknown): boolean {
  if (!(error instanceof VarveError)) return false;
  const { httpStatus, causes } = error.details;
  return httpStatus === UNPROCESSABLE && causes === undefined;
}

function patchConflict(cause: unknown): VarveError {
  return new VarveError(
    'CONFLICT',
    'The object is no longer what the patch was made for. Read it again before the next attempt.',
    { details: { httpStatus: UNPROCESSABLE, reason: 'PatchRefused' }, cause },
  );
}

async function write(requests: Requests, call: Write): Promise<KubernetesObject> {
  const { type, method, path, value, contentType = JSON_TYPE, signal } = call;
  const body = { contentType, value };
  const answer = await requests.answer({ ...traitsOf(type), method, path, body, signal });
  return objectOf(type, answer);
}
