/** Packages that only some users need: optional peers, which npm installs only on request. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { VarveError } from '#core/errors.ts';

interface OptionalGroup {
  /** What is impossible without them. */
  readonly purpose: string;
  /** With the major version, as arguments of `npm install`. */
  readonly packages: readonly string[];
  /** Further arguments of `npm install`. */
  readonly flags?: readonly string[];
}

/** The purpose of what `varve demo`, `start`, `worker` and `api` load. */
export const SERVER = 'Workflows on Temporal and the server';
export const MCP = 'MCP';

/** Each optional peer of package.json is in one group; a test compares the two. */
export const OPTIONAL_GROUPS: readonly OptionalGroup[] = [
  {
    purpose: SERVER,
    packages: [
      '@temporalio/activity@1',
      '@temporalio/client@1',
      '@temporalio/common@1',
      '@temporalio/envconfig@1',
      '@temporalio/proto@1',
      '@temporalio/worker@1',
      '@temporalio/workflow@1',
      '@trpc/client@11',
      '@trpc/server@11',
      'prom-client@15',
    ],
  },
  { purpose: 'A model or an embedding endpoint', packages: ['openai@7'] },
  {
    purpose: 'A local embedding model',
    packages: ['@huggingface/tokenizers@0', 'onnxruntime-node@1'],
    // Its install script would download parts that only GPUs need.
    flags: ['--ignore-scripts'],
  },
  { purpose: 'The AI SDK', packages: ['ai@7'] },
  { purpose: 'Tokens of an issuer (JWT)', packages: ['jose@6'] },
  { purpose: MCP, packages: ['@modelcontextprotocol/sdk@1'] },
  { purpose: 'A store in MongoDB', packages: ['mongodb@7'] },
  {
    purpose: 'A node or a store of LangGraph',
    packages: ['@langchain/core@1', '@langchain/langgraph@1', 'langchain@1'],
  },
  {
    purpose: 'Tracing by OpenTelemetry',
    packages: [
      '@opentelemetry/api@1',
      '@opentelemetry/exporter-trace-otlp-http@0',
      '@opentelemetry/resources@3',
      '@opentelemetry/sdk-trace@3',
    ],
  },
  {
    purpose: 'The operator in a cluster',
    packages: ['@kubernetes/client-node@2', 'undici@8'],
  },
];

/**
 * `ERR_MODULE_NOT_FOUND` comes from an import, `MODULE_NOT_FOUND` from a bundle that uses
 * `require`.
 */
const NOT_FOUND = /^Cannot find (?:package|module) '((?:@[^/']+\/)?[^/']+)/u;
const NOT_FOUND_CODES: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

/**
 * Returns the error to show if loading failed because an optional package is missing:
 * MISSING_PACKAGE with the command that installs it. Returns any other error unchanged.
 */
export function explainMissingPackage(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || !('code' in thrown)) return thrown;
  if (!NOT_FOUND_CODES.has(thrown.code)) return thrown;
  const name = NOT_FOUND.exec(thrown.message)?.[1];
  const group = OPTIONAL_GROUPS.find(({ packages }) =>
    packages.some((each) => each.startsWith(`${String(name)}@`)),
  );
  if (name === undefined || group === undefined) return thrown;
  const message =
    `${group.purpose} need${group.purpose.includes(' and ') ? '' : 's'} the package ${name}, ` +
    `which is not installed. Run: ${installLine(group)}`;
  return new VarveError('MISSING_PACKAGE', message, {
    details: { package: name },
    cause: thrown,
  });
}

/** Returns the command that installs what these purposes lack; null if nothing is missing. */
export function missingFor(
  purposes: readonly string[],
  isThere: (packageName: string) => boolean = isInstalled,
): string | null {
  const groups = OPTIONAL_GROUPS.filter(
    ({ purpose, packages }) =>
      purposes.includes(purpose) && !packages.map(nameOf).every((name) => isThere(name)),
  );
  const packages = groups.flatMap((group) => group.packages);
  return packages.length === 0 ? null : installLine({ packages });
}

function installLine({ flags = [], packages }: Omit<OptionalGroup, 'purpose'>): string {
  return ['npm install', ...flags, ...packages].join(' ');
}

function nameOf(versioned: string): string {
  return versioned.slice(0, versioned.lastIndexOf('@'));
}

/** Checks for the folder, since not every package has an entry point. */
function isInstalled(name: string): boolean {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  return folders.some((folder) => existsSync(path.join(folder, name, 'package.json')));
}
