/** `varve mcp` as the command line knows it, and the settings that clients of MCP servers need. */
import { Option, type Command } from 'commander';
import type { McpOptions } from './commands/mcp.ts';
import type { ConfigOverrides } from './config.ts';
import type { Registration } from './operation-options.ts';

/** The program that a client starts. */
export interface ServerProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface Client {
  /** Where the text goes. */
  readonly place: string;
  settings(program: ServerProgram): object;
}

const NAME = 'varve';
const byServers = (program: ServerProgram) => ({ mcpServers: { [NAME]: program } });

export const CLIENTS = {
  'claude-desktop': {
    place: 'claude_desktop_config.json (Settings > Developer > Edit Config)',
    settings: byServers,
  },
  'claude-code': {
    place: '.mcp.json in the folder of the project',
    settings: (program) => ({ mcpServers: { [NAME]: { type: 'stdio', ...program } } }),
  },
  cursor: { place: '.cursor/mcp.json in the project, or in the home folder', settings: byServers },
  vscode: {
    place: '.vscode/mcp.json in the folder of the project',
    settings: (program) => ({ servers: { [NAME]: { type: 'stdio', ...program } } }),
  },
  windsurf: { place: '~/.codeium/windsurf/mcp_config.json', settings: byServers },
  zed: {
    place: 'settings.json of Zed',
    settings: (program) => ({ context_servers: { [NAME]: program } }),
  },
} as const satisfies Record<string, Client>;
export type ClientName = keyof typeof CLIENTS;

/** The settings of a client as JSON, and where they go. */
export function clientConfig(
  client: ClientName,
  program: ServerProgram,
): { readonly text: string; readonly place: string } {
  const { place, settings } = CLIENTS[client];
  return { text: JSON.stringify(settings(program), null, 2), place };
}

export function addMcpCommand(program: Command, { withFolders, configOf }: Registration): void {
  withFolders(program.command('mcp'))
    .description('serve memories to a model as an MCP server, over standard input and output')
    .option('--tenant <id>', 'tenant', 'default')
    .option('--user <id>', 'fix the user')
    .option('--agent <id>', 'fix the agent')
    .option('--project <id>', 'fix the project (default: default, where nothing else is fixed)')
    .option('--session <id>', 'fix the session')
    .option('--team <id>', 'fix the team')
    .option('--org <id>', 'fix the org')
    .option('--company <id>', 'fix the company')
    .option('--open', 'let the model name identifiers that are not fixed')
    .option('--api-url <url>', 'speak to a running API (default: the store of the data folder)')
    .addOption(
      new Option(
        '--print-config [client]',
        'print what a client needs to start this server, and end',
      ).choices(Object.keys(CLIENTS)),
    )
    .action(async (options: McpOptions & ConfigOverrides) => {
      const { mcpCommand } = await import('./commands/mcp.ts');
      await mcpCommand(configOf(options), options);
    });
}
