/** What `varve init` says to do next, by what stands in a folder. */
import type { ClientName } from './mcp/client-configs.ts';
import { slugOf } from './import/slug.ts';

export interface Found {
  /** Of package.json; null where there is none, or it has none. */
  readonly packageName: string | null;
  readonly packages: readonly string[];
  /** Names of files and folders. */
  readonly names: readonly string[];
}

interface Step {
  readonly what: string;
  readonly how: string;
}

const DOCUMENTS = ['docs', 'notes', 'README.md'];
const CLIENTS: Readonly<Record<string, ClientName>> = {
  '.mcp.json': 'claude-code',
  '.claude': 'claude-code',
  '.cursor': 'cursor',
  '.vscode': 'vscode',
};
const FACES: Readonly<Record<string, string>> = {
  ai: "import { memoryMiddleware } from 'varve/ai-sdk'",
  '@langchain/langgraph': "import { SummarizationNode } from 'varve/langgraph'",
};

export function nextSteps(found: Found, tenant: string): readonly Step[] {
  const { packageName, packages, names } = found;
  const project = (packageName === null ? '' : slugOf(packageName)) || 'default';
  const whose = `--tenant ${tenant} --project ${project}`;
  const documents = DOCUMENTS.find((name) => names.includes(name));
  const clients = Object.keys(CLIENTS).filter((name) => names.includes(name));
  return [
    { what: 'check', how: 'varve doctor' },
    { what: 'start', how: 'varve start' },
    ...(documents === undefined
      ? []
      : [{ what: `remember ${documents}`, how: `varve import ${documents} ${whose}` }]),
    ...[...new Set(clients.map((name) => CLIENTS[name] ?? 'cursor'))].map((client) => ({
      what: `serve ${client}`,
      how: `varve mcp ${whose} --print-config ${client}`,
    })),
    ...Object.entries(FACES).flatMap(([name, how]) =>
      packages.includes(name) ? [{ what: `with ${name}`, how }] : [],
    ),
  ];
}
