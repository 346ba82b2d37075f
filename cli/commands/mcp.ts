/**
 * `varve mcp`: the MCP server over standard input and output. Standard output carries only the
 * protocol; the log goes to standard error.
 */
import { checkBinding, type Binding, type Bound } from '#api/mcp/server-binding.ts';
import { parseInput } from '#api/parse-input.ts';
import { Tenant } from '#api/schemas/shared-fields.ts';
import { IDENTIFIER_OF, Identifiers } from '#core/identifiers.ts';
import { LAYERS } from '#core/layer.ts';
import type { Log } from '#core/ports/platform.ts';
import { createLog } from '#providers/node/log.ts';
import { openLibraryForCommand } from '../open-library-for-command.ts';
import type { Config } from '../config.ts';
import { identifiersFromOptions, type LayerIds } from '../shared-command-options.ts';
import { clientConfig, type ClientName } from '../mcp-clients.ts';
import type { Varve } from '../open-varve.ts';
import { aborted, endWithin, HUNG_UP, shutdownSignal } from '../shutdown.ts';
import { localToken, stackPaths } from '../installation-files.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

export type McpOptions = LayerIds & {
  readonly tenant: string;
  readonly open?: boolean;
  /** True if no client is named. */
  readonly printConfig?: ClientName | true;
};

const DEFAULT_CLIENT: ClientName = 'claude-desktop';
const DEFAULT_PROJECT = 'default';
const END_WITHIN_MS = 10_000;

const Fixed = z.strictObject({ tenant: Tenant, ...Identifiers.shape });

/** @throws VarveError INVALID_INPUT, and errors of opening the store */
export async function mcpCommand(config: Config, options: McpOptions): Promise<void> {
  const binding = bindingOf(options);
  if (options.printConfig !== undefined) {
    printConfig(config, options, binding);
    return;
  }
  const signal = shutdownSignal();
  endWithin(signal, END_WITHIN_MS);
  const log = createLog({ level: config.logLevel, destination: process.stderr });
  const [{ createMcpServer }, { stdioTransport }] = await Promise.all([
    import('#api/mcp/server.ts'),
    import('../mcp-stdio.ts'),
  ]);
  const gone = clientGone();
  await using held = new AsyncDisposableStack();
  const calls = await callsOf(config, { held, tenant: binding.tenant, log });
  const server = createMcpServer({ calls, binding }, log);
  held.defer(() => server.close());
  const transport = stdioTransport({ input: process.stdin, output: process.stdout });
  await server.connect(transport);
  log.info({ tenant: binding.tenant }, 'MCP server ready');
  await Promise.race([gone, aborted(signal)]);
  await Promise.race([transport.answered(), sleep(END_WITHIN_MS, null, { ref: false })]);
}

/** Resolves once the client closes its input or stops reading; an unread log ends nothing. */
function clientGone(): Promise<void> {
  const { stdin, stdout, stderr } = process;
  return new Promise((resolve, reject) => {
    stdin.once('end', resolve).once('close', resolve);
    stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (HUNG_UP.has(error.code)) resolve();
      else reject(error);
    });
    stderr.on('error', (error: NodeJS.ErrnoException) => {
      if (!HUNG_UP.has(error.code)) reject(error);
    });
  });
}

/** @throws VarveError INVALID_INPUT */
function bindingOf(options: McpOptions): Binding {
  const named = identifiersFromOptions(options);
  const isOpen = options.open === true;
  const isNothingFixed = Object.keys(named).length === 0 && !isOpen;
  const given = isNothingFixed ? { projectId: DEFAULT_PROJECT } : named;
  const { tenant, ...identifiers } = parseInput(Fixed, { tenant: options.tenant, ...given });
  return checkBinding({ tenant, identifiers, isOpen });
}

interface Opening {
  readonly held: AsyncDisposableStack;
  readonly tenant: string;
  readonly log: Log;
}

/**
 * Returns the calls of a running API if one is named. Otherwise opens the store, and refreshes it
 * here unless another process does.
 */
async function callsOf(config: Config, { held, tenant, log }: Opening): Promise<Bound['calls']> {
  const { apiUrl: url, apiToken, dataDir } = config;
  if (url !== null) {
    const { connectApi } = await import('../api-client.ts');
    return connectApi({ url, token: apiToken ?? (await localToken(stackPaths(dataDir).token)) });
  }
  // Who starts this server has the store itself, and one client alone calls it.
  const principal = { name: 'mcp', tenants: [tenant], bound: {}, isUnlimited: true };
  const opened = held.use(await openLibraryForCommand(config, { begins: true, principal, log }));
  if (!opened.isRunning) held.use(keepRefreshing(opened.varve, { tenant, log }));
  return opened.varve;
}

function printConfig(
  { dataDir, apiUrl }: Config,
  { printConfig: client, open }: McpOptions,
  { tenant, identifiers }: Binding,
): void {
  const fixed = LAYERS.flatMap((layer) => {
    const id = identifiers[IDENTIFIER_OF[layer]];
    return id === undefined ? [] : [`--${layer}`, id];
  });
  const program = {
    command: process.execPath,
    args: [
      process.argv[1] ?? 'varve',
      'mcp',
      '--tenant',
      tenant,
      ...fixed,
      ...(open === true ? ['--open'] : []),
      '--data-dir',
      dataDir,
      ...(apiUrl === null ? [] : ['--api-url', apiUrl]),
    ],
    env: {},
  };
  const named = client === undefined || client === true ? DEFAULT_CLIENT : client;
  const { text, place } = clientConfig(named, program);
  process.stderr.write(`For ${place}:\n`);
  process.stdout.write(`${text}\n`);
}

/** Pause between two checks for due summaries. */
const REFRESH_EVERY_MS = 15_000;

/**
 * Refreshes what the policy calls due, one refresh at a time; a failure is logged and retried at
 * the next check. Disposing waits for the running refresh.
 */
export function keepRefreshing(
  { refresh }: Pick<Varve, 'refresh'>,
  {
    tenant,
    log,
    everyMs = REFRESH_EVERY_MS,
  }: { readonly tenant: string; readonly log: Log; readonly everyMs?: number },
): AsyncDisposable {
  let underWay: Promise<void> | null = null;
  const refreshOnce = async (): Promise<void> => {
    try {
      const { generated, failures } = await refresh({ tenant, kind: 'Due' });
      for (const { code, batches } of failures) log.warn({ code, batches }, 'refresh failed');
      if (generated > 0) log.info({ generated }, 'summaries made');
    } catch (error) {
      log.warn({ error }, 'refresh failed');
    }
  };
  const start = (): void => {
    underWay ??= refreshOnce().finally(() => {
      underWay = null;
    });
  };
  start();
  const timer = setInterval(start, everyMs);
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await underWay;
    },
  };
}
