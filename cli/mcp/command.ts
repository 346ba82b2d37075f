/** `varve mcp`, as the command line knows it. */
import { Option, type Command } from 'commander';
import type { McpOptions } from '../commands/mcp.ts';
import type { ConfigOverrides } from '../config.ts';
import { CLIENTS } from './client-configs.ts';
import type { Registration } from '../registration.ts';

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
      const { mcpCommand } = await import('../commands/mcp.ts');
      await mcpCommand(configOf(options), options);
    });
}
