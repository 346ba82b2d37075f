/** A client of the official SDK and our server, connected in one process. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type {
  JsonSchemaValidator,
  jsonSchemaValidator,
} from '@modelcontextprotocol/sdk/validation/types.js';
import { checkBinding, type Binding, type Bound } from '#api/mcp/server-binding.ts';
import { createMcpServer } from '#api/mcp/server.ts';
import { SILENT_LOG, type Log } from '#core/ports/platform.ts';

/** The SDK's own, but compiles a schema once for all clients: it takes most of their time. */
class SharedValidators implements jsonSchemaValidator {
  readonly #compiler = new AjvJsonSchemaValidator();
  readonly #validators = new Map<string, JsonSchemaValidator<unknown>>();

  getValidator<T>(schema: Parameters<jsonSchemaValidator['getValidator']>[0]) {
    const text = JSON.stringify(schema);
    const validator = this.#validators.get(text) ?? this.#compiler.getValidator(schema);
    this.#validators.set(text, validator);
    return validator as JsonSchemaValidator<T>;
  }
}

const VALIDATORS = new SharedValidators();

export function createClient(): Client {
  return new Client({ name: 'test', version: '1' }, { jsonSchemaValidator: VALIDATORS });
}

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
  const client = createClient();
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
