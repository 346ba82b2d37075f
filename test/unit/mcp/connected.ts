/** A client of the official SDK and our server, connected in one process. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { checkBinding, type Binding, type Bound } from '#api/mcp/server-binding.ts';
import { createMcpServer } from '#api/mcp/server.ts';
import { SILENT_LOG, type Log } from '#core/ports/platform.ts';

export interface Connected extends AsyncDisposable {
  readonly client: Client;
  call(name: string, input?: Record<string, unknown>): Promise<CallToolResult>;
  /** The structured answer of a call that has to succeed. */
  answer<T>(name: string, input?: Record<string, unknown>): Promise<T>;
}

export async function connected(
  calls: Bound['calls'],
  binding: Binding,
  log: Log = SILENT_LOG,
): Promise<Connected> {
  const server = createMcpServer({ calls, binding: checkBinding(binding) }, log);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(ours);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(theirs);
  return { ...callsOf(client), [Symbol.asyncDispose]: () => client.close() };
}

/** Lists the tools first, so that the client checks each answer by its schema. */
export function callsOf(client: Client): Omit<Connected, typeof Symbol.asyncDispose> {
  let listed: Promise<unknown> | null = null;
  const call = async (name: string, input: Record<string, unknown> = {}) => {
    listed ??= client.listTools();
    await listed;
    return (await client.callTool({ name, arguments: input })) as CallToolResult;
  };
  return {
    client,
    call,
    answer: async <T>(name: string, input?: Record<string, unknown>) => {
      const result = await call(name, input);
      if (result.isError === true) throw new Error(textOf(result));
      return result.structuredContent as T;
    },
  };
}

export function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
