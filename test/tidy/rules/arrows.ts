/**
 * Section "The house" of ARCHITECTURE.md as a table: which parts the compiler's references of a
 * part may name, and which packages and `node:` modules its files may import.
 */
import { builtinModules } from 'node:module';
import { isCode, type Finding, type Rule } from '../source-file.ts';
import { isNode, lineAt, literalOf, treeOf, walk } from '../syntax.ts';

interface Arrow {
  /** Parts of the project; a part may always import itself. */
  readonly parts: readonly string[];
  readonly packages: readonly string[];
  /** Whether `node:` modules may be imported. */
  readonly node: boolean;
}

const PROVIDERS = [
  'sqlite',
  'mongodb',
  'extractive',
  'tokenizers',
  'temporal',
  'node',
  'lexical',
  'onnx',
  'openai',
  'prometheus',
  'kubernetes',
  'jwt',
  'opentelemetry',
];
const LAYERS = ['core', 'memory', 'store', 'crds', 'workflows', 'activities', 'operator', 'api'];
const ADAPTERS = PROVIDERS.map((name) => `providers/${name}`);

export const ARROWS: Readonly<Record<string, Arrow>> = {
  core: arrow([], ['zod', 'snowball-stemmers'], false),
  crds: arrow(['core'], ['zod', 'yaml']),
  workflows: arrow(['core'], ['@temporalio/workflow', '@temporalio/common'], false),
  memory: arrow(['core'], []),
  activities: arrow(['core', 'memory'], ['@temporalio/activity']),
  operator: arrow(['core', 'crds'], []),
  api: arrow(['core', 'memory'], ['@modelcontextprotocol/sdk', '@trpc/server', 'zod']),
  'ai-sdk': arrow(['core'], ['ai', 'zod']),
  client: arrow(['api'], []),
  langgraph: arrow(
    ['core', 'providers/tokenizers'],
    ['@langchain/core', '@langchain/langgraph', 'langchain', 'zod'],
  ),
  store: arrow(['core'], []),
  'providers/sqlite': arrow(['core', 'store', 'providers/node'], []),
  'providers/mongodb': arrow(['core', 'store'], ['mongodb']),
  'providers/onnx': arrow(
    ['core', 'providers/node'],
    ['@huggingface/tokenizers', 'onnxruntime-node', 'zod'],
  ),
  'providers/openai': arrow(['core'], ['openai', 'zod']),
  'providers/prometheus': arrow(['core'], ['prom-client']),
  'providers/kubernetes': arrow(['core'], ['@kubernetes/client-node', 'undici', 'zod']),
  'providers/jwt': arrow(['core'], ['jose']),
  'providers/opentelemetry': arrow(
    ['core'],
    [
      '@opentelemetry/api',
      '@opentelemetry/exporter-trace-otlp-http',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace',
    ],
  ),
  'providers/extractive': arrow(['core'], []),
  'providers/lexical': arrow(['core'], []),
  'providers/node': arrow(['core'], ['croner', 'pino']),
  'providers/temporal': arrow(
    ['core', 'providers/node'],
    [
      '@temporalio/client',
      '@temporalio/worker',
      '@temporalio/proto',
      '@temporalio/common',
      '@temporalio/envconfig',
    ],
  ),
  'providers/tokenizers': arrow(['core'], ['gpt-tokenizer']),
  cli: arrow(
    [...LAYERS, ...ADAPTERS],
    ['@modelcontextprotocol/sdk', 'commander', 'cli-progress', 'cli-table3', '@trpc/client', 'zod'],
  ),
  bench: arrow(
    [...LAYERS, ...ADAPTERS, 'cli', 'langgraph'],
    [
      '@langchain/core',
      '@trpc/server',
      'mongodb',
      'gpt-tokenizer',
      'cli-table3',
      'zod',
      '@temporalio/client',
      '@temporalio/worker',
      '@temporalio/workflow',
    ],
  ),
  examples: arrow(
    ['ai-sdk', 'cli'],
    [
      'ai',
      'openai',
      'varve',
      '@langchain/core',
      '@langchain/langgraph',
      '@modelcontextprotocol/sdk',
      '@openai/agents',
    ],
  ),
  test: arrow(
    [...LAYERS, ...ADAPTERS, 'ai-sdk', 'cli', 'client', 'bench', 'langgraph', 'scripts'],
    [
      'ai',
      '@ai-sdk/mcp',
      '@modelcontextprotocol/sdk',
      '@langchain/core',
      '@langchain/langgraph',
      'langchain',
      'vitest',
      '@stryker-mutator/core',
      '@stryker-mutator/vitest-runner',
      '@eslint-community/regexpp',
      'fast-check',
      'zod',
      'yaml',
      '@trpc/client',
      'gpt-tokenizer',
      'jose',
      'js-tiktoken',
      'mongodb',
      'mingo',
      'ajv',
      '@mongodb-js/search-index-schema',
      '@kubernetes/client-node',
      'croner',
    ],
  ),
  scripts: arrow([], ['rolldown']),
};
/** Tests also speak to Temporal themselves, as a person at the server would. */
const TEST_PACKAGES = /^@temporalio\//u;

export const allowedImports: Rule = (file) => {
  const part = partOf(file.path);
  if (!isCode(file) || part === '') return [];
  const allowed = ARROWS[part];
  if (allowed === undefined) {
    const problem = `"${part}" has no row in test/tidy/rules/arrows.ts; say what it may import`;
    return [{ path: file.path, line: 1, problem }];
  }
  const findings: Finding[] = [];
  for (const { specifier, start } of importsOf(file)) {
    const problem = refusal(specifier, { part, allowed });
    if (problem !== null) {
      findings.push({ path: file.path, line: lineAt(file.text, start), problem });
    }
  }
  return findings;
};

/** Everything that a file imports, types and dynamic imports included. */
export function importsOf(file: {
  path: string;
  text: string;
}): readonly { specifier: string; start: number }[] {
  const found: { specifier: string; start: number }[] = [];
  walk(treeOf(file), (node) => {
    const { source } = node;
    if (!isNode(source) || !/^(?:Import|Export|TSImport)/u.test(node.type)) return;
    found.push({ specifier: literalOf(source), start: node.start });
  });
  return found;
}

/** The part of the project that a path belongs to; '' for a file at the top. */
export function partOf(file: string): string {
  const [top = '', below = '', ...deeper] = file.split('/');
  if (below === '') return '';
  return top === 'providers' && deeper.length > 0 ? `${top}/${below}` : top;
}

/** Imports of the project itself the compiler judges, by the references of each part. */
function refusal(
  specifier: string,
  { part, allowed }: { part: string; allowed: Arrow },
): string | null {
  if (/^[.#]/u.test(specifier)) return null;
  if (specifier.startsWith('node:')) {
    return allowed.node ? null : `imports ${specifier}; ${part} is given what it needs as a port`;
  }
  if (builtinModules.includes(specifier)) return `imports ${specifier}; write "node:${specifier}"`;
  const name = packageOf(specifier);
  if (allowed.packages.includes(name) || (part === 'test' && TEST_PACKAGES.test(name))) return null;
  return `imports the package ${name}, which ${part} may not (test/tidy/rules/arrows.ts)`;
}

function packageOf(specifier: string): string {
  const [scope = '', name = ''] = specifier.split('/');
  return scope.startsWith('@') ? `${scope}/${name}` : scope;
}

function arrow(parts: readonly string[], packages: readonly string[], node = true): Arrow {
  return { parts, packages, node };
}
