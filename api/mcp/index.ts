/** `varve/mcp`: a server over an open library, for any transport of the official SDK. */
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import type { Identifiers } from '#core/identifiers.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { parseInput } from '../parse-input.ts';
import { GivenIdentifiers, Tenant } from '../schemas/shared-fields.ts';
import type { Bound } from './server-binding.ts';
import { createMcpServer } from './server.ts';

export interface McpServerOptions {
  /** An open library; closing the server leaves it open. */
  readonly varve: Bound['calls'];
  readonly tenant: string;
  /** Fixed for every call: a model cannot replace them. */
  readonly identifiers?: Identifiers;
  /** Whether the model may name identifiers that are not fixed; `false` by default. */
  readonly open?: boolean;
}

const Options = z.strictObject({
  varve: z.custom<Bound['calls']>(
    (given) => typeof given === 'object' && given !== null,
    'expected an open library',
  ),
  tenant: Tenant,
  identifiers: GivenIdentifiers.default({}),
  open: z.boolean().default(false),
});

/**
 * A server that is not connected yet; each connection needs its own.
 * @throws VarveError INVALID_INPUT for a wrong option, and if no layer is open
 */
export function mcpServer(options: McpServerOptions): McpServer {
  const { varve: calls, tenant, identifiers, open: isOpen } = parseInput(Options, options);
  return createMcpServer({ calls, binding: { tenant, identifiers, isOpen } }, SILENT_LOG);
}
