/** The same procedures on a server of tRPC's own: they read the input and answer at once. */
import { createServer } from 'node:http';
import { initTRPC } from '@trpc/server';
import { createHTTPHandler } from '@trpc/server/adapters/standalone';
import { listen } from '#api/listener.ts';
import { CALLS, type CallName } from './calls.ts';
import { answerParent } from './server.ts';

const BATCH_SIZE_MAX = 32;
const t = initTRPC.create();
let answers: Readonly<Record<string, unknown>> = {};

function procedure(name: CallName) {
  const built = t.procedure.input((given: unknown) => given);
  const answer = () => answers[name];
  return CALLS[name].kind === 'query' ? built.query(answer) : built.mutation(answer);
}

const router = t.router({
  conversation: t.router({ append: procedure('conversation.append') }),
  memory: t.router({ search: procedure('memory.search') }),
  budget: t.router({ get: procedure('budget.get') }),
  context: t.router({ assemble: procedure('context.assemble') }),
});
const server = createServer(createHTTPHandler({ router, maxBatchSize: BATCH_SIZE_MAX }));
const place = { host: '127.0.0.1', port: 0, what: 'bare', setting: 'none' };
const port = await listen(server, place);
answerParent((message) => {
  if (message.kind === 'Answers') answers = message.answers;
  return Promise.resolve();
});
process.send?.({ kind: 'Ready', url: `http://127.0.0.1:${String(port)}`, key: 'none' });
