import { expect, test } from 'vitest';
import { clientConfig, CLIENTS, type ClientName } from '#cli/mcp-clients.ts';
import { readProjectFile } from '../../tidy/source-file.ts';

const PROGRAM = { command: 'node', args: ['varve.js', 'mcp', '--user', 'ann'], env: {} };
const STDIO = { type: 'stdio', ...PROGRAM };

test.each<[ClientName, object]>([
  ['claude-desktop', { mcpServers: { varve: PROGRAM } }],
  ['claude-code', { mcpServers: { varve: STDIO } }],
  ['cursor', { mcpServers: { varve: PROGRAM } }],
  ['vscode', { servers: { varve: STDIO } }],
  ['windsurf', { mcpServers: { varve: PROGRAM } }],
  ['zed', { context_servers: { varve: PROGRAM } }],
])('the settings of %s have the form that the client reads', (client, settings) => {
  const { text, place } = clientConfig(client, PROGRAM);
  expect(JSON.parse(text)).toEqual(settings);
  expect(place).toBe(CLIENTS[client].place);
});

test('docs/mcp.md shows settings as the command prints them, and names every client', () => {
  const page = readProjectFile('docs/mcp.md').text;
  const shown = JSON.parse(/```json\n([\s\S]+?)```/u.exec(page)?.[1] ?? '') as {
    mcpServers: { varve: typeof PROGRAM };
  };
  expect(JSON.parse(clientConfig('cursor', shown.mcpServers.varve).text)).toEqual(shown);
  for (const client of Object.keys(CLIENTS)) expect(page).toContain(`\`${client}\``);
});
