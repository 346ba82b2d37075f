/** The operations as calls of one caller: the library, without a network. */
import { mapOperations, OPERATIONS, type Calls, type Operations } from './operations/table.ts';
import type { ApiPorts } from './api-ports.ts';
import type { Principal } from './principal.ts';

/** Every operation as a method, such as `memory.add(input)`. */
export type Library = Calls<Operations>;

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
