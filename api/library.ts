/** The operations as calls of one caller: the library, without a network. */
import type { Library } from './calls/library.generated.ts';
import { mapOperations, OPERATIONS } from './operations/table.ts';
import type { ApiPorts } from './api-ports.ts';
import type { Principal } from './principal.ts';

export type { Library, ServedLibrary } from './calls/library.generated.ts';

/**
 * Parses inputs as every interface does.
 * @param requireOpen throws if no call may begin any more
 */
export function libraryOf(
  ports: ApiPorts,
  principal: Principal,
  requireOpen: () => void = () => undefined,
): Library {
  const calls = mapOperations(OPERATIONS, (operation) => async (input?: unknown) => {
    requireOpen();
    return operation.call(ports, principal, input);
  });
  return calls as unknown as Library;
}
