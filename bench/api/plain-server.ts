/** A plain tRPC server: no authentication, no validation, no access check, no rate limits. */
import { createServer } from 'node:http';
import { initTRPC } from '@trpc/server';
import { createHTTPHandler } from '@trpc/server/adapters/standalone';
import { listen } from '#api/http-port.ts';
import { CALLS, type CallName } from './calls.ts';

const BATCH_SIZE_MAX = 32;

/**
 * Starts the server and resolves with its address.
 * @param answer returns the answer to a call
 * @param before what a request waits for before its calls begin
 */
export async function startPlainServer(
  answer: (name: CallName) => unknown,
  before: () => Promise<unknown> = () => Promise.resolve(),
): Promise<string> {
  const t = initTRPC.context<object>().create();
  const procedure = (name: CallName) => {
    const built = t.procedure.input((given: unknown) => given);
    const resolve = () => answer(name);
    return CALLS[name].kind === 'query' ? built.query(resolve) : built.mutation(resolve);
  };
  const router = t.router({
    conversation: t.router({ append: procedure('conversation.append') }),
    memory: t.router({ search: procedure('memory.search') }),
    budget: t.router({ get: procedure('budget.get') }),
    context: t.router({ assemble: procedure('context.assemble') }),
  });
  const createContext = async () => {
    await before();
    return {};
  };
  const handler = createHTTPHandler({ router, createContext, maxBatchSize: BATCH_SIZE_MAX });
  const place = { host: '127.0.0.1', port: 0, what: 'plain', setting: 'none' };
  const port = await listen(createServer(handler), place);
  return `http://127.0.0.1:${String(port)}`;
}
