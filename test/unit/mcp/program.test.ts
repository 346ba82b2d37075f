/** `varve/mcp`: what a program may pass to it. */
import { expect, test } from 'vitest';
import { mcpServer, type McpServerOptions } from '#api/mcp/index.ts';

const varve = {} as McpServerOptions['varve'];

test.each([
  ['a misspelled option', { varve, tenant: 'acme', identifier: {} }, 'identifiers'],
  ['a misspelled identifier', { varve, tenant: 'acme', identifiers: { userid: 'a' } }, 'userId'],
  ['no library', { tenant: 'acme', identifiers: { userId: 'ann' } }, 'varve: expected'],
  ['no identifiers', { varve, tenant: 'acme' }, 'No identifier is fixed'],
])('a server with %s is refused, and the error says what to give', (_, options, words) => {
  const made = () => mcpServer(options as unknown as McpServerOptions);
  expect(made).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }) as Error);
  expect(made).toThrow(words);
});
