/** The settings that MCP clients need for Varve. */

/** The program that a client starts. */
interface ServerProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface Client {
  /** The file or place for the text. */
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

/** Returns the settings of a client as JSON, and where they belong. */
export function clientConfig(
  client: ClientName,
  program: ServerProgram,
): { readonly text: string; readonly place: string } {
  const { place, settings } = CLIENTS[client];
  return { text: JSON.stringify(settings(program), null, 2), place };
}
