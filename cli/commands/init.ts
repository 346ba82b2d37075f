/** `varve init`: writes a first configuration for the current folder. Overwrites nothing. */
import { parseInput } from '#api/parse-input.ts';
import { Tenant } from '#api/schemas/shared-fields.ts';
import { VarveError } from '#core/errors.ts';
import { makeFolder } from '#providers/node/make-folder.ts';
import type { Config } from '../config.ts';
import { slugOf } from '../import/import-item.ts';
import type { ClientName } from '../mcp-clients.ts';
import { MCP, missingFor, SERVER } from '../optional-packages.ts';
import { isMissing, makeDataFolder, STARTER_FILE, starterPolicy } from '../installation-files.ts';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

/** Keeps the store, token and locks out of git; policies belong in it. */
const IGNORED = '*\n!.gitignore\n!policies/\n!policies/**\n';

const Packages = z.record(z.string(), z.unknown()).default({});
const Manifest = z.object({
  name: z.string().nullable().default(null),
  dependencies: Packages,
  devDependencies: Packages,
});

interface Init {
  readonly tenant: string;
  readonly folder: string;
}

/**
 * @throws VarveError INVALID_INPUT if the tenant is not an id, CONFLICT if there are policies
 * already
 */
export async function initCommand(config: Config, { tenant, folder }: Init): Promise<void> {
  parseInput(z.strictObject({ tenant: Tenant }), { tenant });
  const { dataDir, policyDir } = config;
  const policies = (await namesIn(policyDir)).filter((name) => /\.ya?ml$/u.test(name));
  if (policies.length > 0) {
    const message =
      `${path.join(policyDir, policies[0] ?? '')} already exists, so nothing was written. ` +
      'Edit it, or name another folder with --policy-dir.';
    throw new VarveError('CONFLICT', message);
  }
  await makeDataFolder(dataDir);
  makeFolder(policyDir);
  const policy = path.join(policyDir, STARTER_FILE);
  await writeFile(policy, starterPolicy(tenant), { flag: 'wx' });
  const wrote = [policy];
  const ignore = path.join(dataDir, '.gitignore');
  if (!(await namesIn(dataDir)).includes('.gitignore')) {
    await writeFile(ignore, IGNORED, { flag: 'wx' });
    wrote.push(ignore);
  }
  const steps = nextSteps(await readFolder(folder), {
    tenant,
    varve: config.command,
    missing: missingFor,
  });
  const width = Math.max(...steps.map(({ what }) => what.length));
  const lines = [
    ...wrote.map((file) => `wrote  ${path.relative(folder, file)}`),
    '',
    'Next:',
    ...steps.map(({ what, how }) => `  ${what.padEnd(width)}  ${how}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function readFolder(folder: string): Promise<Found> {
  const names = await namesIn(folder);
  const manifest = names.includes('package.json')
    ? manifestOf(await readFile(path.join(folder, 'package.json'), 'utf8'))
    : null;
  const { dependencies = {}, devDependencies = {} } = manifest ?? {};
  const packages = [...Object.keys(dependencies), ...Object.keys(devDependencies)];
  return { packageName: manifest?.name ?? null, packages, names };
}

/** Returns null for a file that npm would not accept either: it only helps to suggest names. */
function manifestOf(text: string): z.output<typeof Manifest> | null {
  try {
    return Manifest.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    // A file in place of the folder is refused where the folder is made.
    if (isMissing(error)) return [];
    throw error;
  }
}

export interface Found {
  /** From package.json; null if the file or its name is missing. */
  readonly packageName: string | null;
  readonly packages: readonly string[];
  /** Names of the files and folders. */
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

interface Steps {
  readonly tenant: string;
  /** The command line that starts Varve. */
  readonly varve: string;
  /** Returns the command that installs what these purposes lack; null if nothing is missing. */
  readonly missing: (purposes: readonly string[]) => string | null;
}

/** Returns the next steps that `varve init` suggests, judged by the content of the folder. */
export function nextSteps(found: Found, { tenant, varve, missing }: Steps): readonly Step[] {
  const { packageName, packages, names } = found;
  const project = (packageName === null ? '' : slugOf(packageName)) || 'default';
  const whose = `--tenant ${tenant} --project ${project}`;
  const documents = DOCUMENTS.find((name) => names.includes(name));
  const clients = Object.keys(CLIENTS).filter((name) => names.includes(name));
  const install = missing([SERVER, ...(clients.length === 0 ? [] : [MCP])]);
  return [
    { what: 'check', how: `${varve} doctor` },
    ...(install === null ? [] : [{ what: 'install', how: install }]),
    { what: 'start', how: `${varve} start` },
    ...(documents === undefined
      ? []
      : [{ what: `remember ${documents}`, how: `${varve} import ${documents} ${whose}` }]),
    ...[...new Set(clients.map((name) => CLIENTS[name] ?? 'cursor'))].map((client) => ({
      what: `serve ${client}`,
      how: `${varve} mcp ${whose} --print-config ${client}`,
    })),
    ...Object.entries(FACES).flatMap(([name, how]) =>
      packages.includes(name) ? [{ what: `with ${name}`, how }] : [],
    ),
  ];
}
