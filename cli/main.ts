/** The command line: each command has its own file and loads only what it needs. */
import { Command, CommanderError, Help, Option } from 'commander';
import { addAdminCommands } from './command-groups/admin.ts';
import { readConfig, type Config, type ConfigOverrides } from './config.ts';
import { runsWith, withFolders, withIdentifiers } from './shared-command-options.ts';
import { CLIENTS } from './mcp-clients.ts';
import { addMemoryFileCommands } from './command-groups/memory-files.ts';
import { WORKER_ROLES, type WorkerRole } from './worker-roles-and-grace.ts';
import { codeOf, VarveError } from '#core/errors.ts';
import { ERRORS } from '#core/error-codes.ts';
import { explainMissingPackage } from './optional-packages.ts';
import { HUNG_UP } from './shutdown.ts';
import { z } from 'zod';
import {
  BLOCK_KEY_LENGTH_MAX,
  HEADING_LENGTH_MAX,
  LINE_SOURCES_MAX,
} from '#core/records/document.ts';
import { THRESHOLD_DEFAULT } from '#core/search/search-defaults.ts';
import { REASON_LENGTH_MAX } from '#core/records/review.ts';

/** The example of a time in the messages below. */
const INSTANT = '2026-11-21T14:30:00+01:00';

/** How to use an option, by the field of the input that the option fills. */
const WORDS: Readonly<Record<string, string>> = {
  tenant: '--tenant takes 1 to 63 characters of a-z, 0-9 and -.',
  subject: '--subject takes user/ID or agent/ID, such as user/ann.',
  at: `--at takes a date and a time with its offset, such as ${INSTANT}.`,
  heading: `--heading takes one line of 1 to ${String(HEADING_LENGTH_MAX)} characters.`,
  key: `--key takes 1 to ${String(BLOCK_KEY_LENGTH_MAX)} characters.`,
  sources: `--source takes an id, at most ${String(LINE_SOURCES_MAX)} times.`,
  reason: `--reason takes some words, at most ${String(REASON_LENGTH_MAX)} characters.`,
  period: '--period takes a calendar month, YYYY-MM, such as 2026-11.',
  since: `--since takes a date and a time with its offset, such as ${INSTANT}.`,
  id: 'Name a dream by its id, which varve dream list shows.',
};

const Issues = z.object({ issues: z.array(z.object({ path: z.string() })).min(1) });

/** The options whose values are short, and never memory text. */
const NAMED_OPTION = /^(?<option>--(?:tenant|subject|at|period|since)) /u;
/** A longer value is not shown. */
const SHOWN_LENGTH_MAX = 64;

/**
 * Rewords an error about an input field as one about the option that filled it.
 * @param args the command line, which has the value of that option
 * @throws what the call throws; VarveError INVALID_INPUT in the words of the command line
 */
export async function inOptionWords<Answer>(
  call: () => Promise<Answer>,
  args: readonly string[] = process.argv,
): Promise<Answer> {
  try {
    return await call();
  } catch (cause) {
    const words = wordsOf(cause);
    if (words === undefined) throw cause;
    throw new VarveError('INVALID_INPUT', withValue(words, args), { cause });
  }
}

/** Names the value that the option at the start of the words has on the command line. */
function withValue(words: string, args: readonly string[]): string {
  const { option = '' } = NAMED_OPTION.exec(words)?.groups ?? {};
  const place = args.indexOf(option);
  const given = place === -1 ? undefined : args[place + 1];
  if (given === undefined || given.length > SHOWN_LENGTH_MAX) return words;
  return `${words.replace(/\.$/u, '')}, not ${JSON.stringify(given)}.`;
}

function wordsOf(failure: unknown): string | undefined {
  if (!(failure instanceof VarveError) || failure.code !== 'INVALID_INPUT') return undefined;
  const { data } = Issues.safeParse(failure.details);
  const [field = ''] = data?.issues[0]?.path.split('.') ?? [];
  if (Object.hasOwn(WORDS, field)) return WORDS[field];
  return failure.message
    .replaceAll(/\bidentifiers\.(\w+)Id: /gu, '--$1: ')
    .replaceAll(/\bquery: /gu, 'the question: ')
    .replaceAll(/\bcontent: /gu, 'the text: ');
}

// How a command ends: the only place that maps errors to messages and exit statuses.

/** The exit status of any other error, which is a bug; the log has its stack. */
const UNEXPECTED_EXIT = 70;

interface Ending {
  readonly status: number;
  readonly message: string;
}

/** Returns one message that a person can act on, never a stack. */
export function exitOf(thrown: unknown, verbose: boolean): Ending {
  const error = refusedPlace(explainMissingPackage(firstOf(thrown)));
  if (error instanceof VarveError) {
    return { status: ERRORS[error.code].exit, message: `${error.code}: ${saidToCaller(error)}` };
  }
  const stack = error instanceof Error ? error.stack : String(error);
  const hint = 'CORRUPT: varve failed in a way it should not. Run again with VARVE_LOG_LEVEL=debug';
  return { status: UNEXPECTED_EXIT, message: verbose ? String(stack) : `${hint} to see where.` };
}

/** Why the file system refuses a place, by the code of the system. */
const REFUSALS: Readonly<Record<string, string>> = {
  EROFS: 'is on a disk that is mounted read-only',
  EACCES: 'may not be used by this user',
  EPERM: 'may not be used by this user',
  ENOSPC: 'finds no space left on its disk',
  EDQUOT: 'finds no space left for this user',
  ENOTDIR: 'has a part that is not a folder',
  EISDIR: 'is a folder, not a file',
  ENOENT: 'is not there',
};

/** A file or folder that cannot be used is no fault of the program: the person can change it. */
function refusedPlace(error: unknown): unknown {
  const code = String(codeOf(error));
  if (!(error instanceof Error) || !Object.hasOwn(REFUSALS, code)) return error;
  if (!('path' in error) || typeof error.path !== 'string') return error;
  const message =
    `${JSON.stringify(error.path)} ${String(REFUSALS[code])} (${code}). Change that, or name ` +
    'another folder, such as with --data-dir.';
  return new VarveError('PROVIDER_REJECTED', message, { cause: error });
}

/** A person who types a command knows its options, not the fields of an operation. */
function saidToCaller({ code, message, details: { layer } }: VarveError): string {
  if (code !== 'MISSING_IDENTIFIER' || typeof layer !== 'string') return message;
  return `The ${layer} layer needs an id; give it by --${layer}.`;
}

/** Returns the first failure: closing what is open may then fail as well, which hides the first. */
function firstOf(thrown: unknown): unknown {
  let error = thrown;
  while (error instanceof SuppressedError) error = error.suppressed;
  return error;
}

function end({ status, message }: Ending): void {
  process.stderr.write(`varve: ${message}\n`);
  process.exitCode = status;
}

/** The failure to write the output, once it was reported. */
let unwritten: unknown = null;

/** A reader that stops, such as `head`, has enough; that is not a failure. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  const { code = 'unknown' } = error;
  unwritten = error;
  if (HUNG_UP.has(code)) return;
  const message =
    `The output could not be written (${code}). Check the place that it goes to, such as the ` +
    'free space on its disk, then run the command again.';
  end(exitOf(new VarveError('PROVIDER_ERROR', message), false));
});

const VERSION = '0.1.0';
const USAGE_EXIT = 2;

const program = new Command('varve')
  .description('Layered memory for AI agents: fresh, cited summaries inside limits.')
  .version(VERSION)
  .configureOutput({
    outputError: (text, write) => {
      write(`varve: INVALID_INPUT: ${usageProblem(text)}\n`);
    },
  })
  .configureHelp({
    optionDescription: (option) =>
      new Help().optionDescription(option) + (option.mandatory ? ' (required)' : ''),
  })
  // So that --version of a command is no question for the version of Varve.
  .enablePositionalOptions()
  .hook('preAction', (_program, command) => {
    refuseSwallowedOption(command);
  })
  .exitOverride();

/**
 * An option without its value takes the next option for it: `--tag --data-dir x` would store in
 * another folder.
 * @throws VarveError INVALID_INPUT naming the option
 */
function refuseSwallowedOption(command: Command): void {
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName());
    const texts = [value].flat().filter((each) => typeof each === 'string');
    const swallowed = texts.find((each) => /^--./u.test(each));
    if (swallowed === undefined) continue;
    const message = `${option.long ?? option.flags} takes a value, not "${swallowed}".`;
    throw new VarveError('INVALID_INPUT', message);
  }
}

/** Returns `error: unknown option '--usr'`, with the next line, as sentences. */
function usageProblem(text: string): string {
  const [problem = '', guess] = text.replace('error: ', '').trim().split('\n');
  if (/^unknown option '-?-?[^']*\s/u.test(problem)) {
    return `${problem}. If a text begins with -, put -- before it.`;
  }
  const suggestion = guess === undefined ? '' : ` ${guess.replaceAll(/^\(|\)$/gu, '')}`;
  return `${problem.replace(/\.$/u, '')}.${suggestion}`;
}

/** Names the help after an error, which the help itself would push off the screen. */
function nameHelpAfterErrors(command: Command, path: string): void {
  command.showHelpAfterError(`${path} --help shows what it takes.`);
  for (const each of command.commands) nameHelpAfterErrors(each, `${path} ${each.name()}`);
}

function withPorts(command: Command): Command {
  return command
    .option('--policy-dir <folder>', 'YAML to apply and watch (default: in the data folder)')
    .option('--api-port <port>', 'port of the API (default: 7420, or a free one if it is taken)')
    .option('--temporal-port <port>', 'port of the embedded Temporal (default: a free one)')
    .option('--ui-port <port>', 'port of the Temporal UI (default: a free one)');
}

function configOf(options: ConfigOverrides): Config {
  return readConfig(process.env, options);
}

const runs = runsWith(configOf);

type Run = (...given: unknown[]) => Promise<void>;

/** Tells an MCP client, too, why its server did not start; a person at a terminal reads it. */
function tellingClient(run: Run): Run {
  return async (...given) => {
    try {
      await run(...given);
    } catch (thrown) {
      const error = firstOf(thrown);
      if (error instanceof VarveError && !process.stdin.isTTY) {
        const { refuseClient } = await import('./mcp-stdio.ts');
        await refuseClient({ input: process.stdin, output: process.stdout }, error);
      }
      throw thrown;
    }
  };
}

withPorts(withFolders(program.command('demo')))
  .description('run an end-to-end demo, on an example or your own files, on a real Temporal server')
  .option(
    '--input <path...>',
    'Markdown or text folders, chats (JSONL), meeting transcripts (JSON)',
  )
  .option('--question <text>', 'what to assemble a context for')
  .option('--keep', 'leave everything running until Ctrl-C')
  .action(runs(async () => (await import('./commands/demo.ts')).demoCommand));

withPorts(withFolders(program.command('start')))
  .description('run Temporal, worker, folder operator and API until Ctrl-C')
  .action(runs(async () => (await import('./commands/start.ts')).startCommand));

withFolders(program.command('import'))
  .description('import files as memories and turns, and summarize them')
  .argument(
    '<path...>',
    'Markdown or text, chats, transcripts (JSON), memories (JSONL); - for JSONL on standard input',
  )
  .option('--tenant <id>', 'tenant to import into', 'default')
  .option('--user <id>', 'user whose chats and notes they are')
  .option('--project <id>', 'project they belong to (default: "default", without --user)')
  .option(
    '--name <name>',
    'name of a single input; importing it again under the same name adds what is new and ' +
      'updates edited sections',
  )
  .option('--skip-invalid', 'skip lines that cannot be read, and count them')
  .addHelpText(
    'after',
    '\nA turn without a time gets the time of the turn before it. If no turn has a time, all ' +
      'get the time of the import and keep their order.\n' +
      'To give a turn a time: {"role":"user","content":"…","at":"2026-01-31T09:00:00Z"}.',
  )
  .action(runs(async () => (await import('./commands/import.ts')).importCommand));

withIdentifiers(withFolders(program.command('add')))
  .description('add a memory to a layer; text that the layer already has is not added again')
  .argument(
    '[text]',
    'what to remember; put -- before a text that begins with -; without a text, or with -, ' +
      'it is read from standard input',
  )
  .option('--layer <name>', 'layer to add it to (default: user with --user, else project)')
  .option(
    '--key <key>',
    'your own name for the memory; adding another text under it updates the memory',
  )
  .option('--tag <tag...>', 'tags to find it by')
  .option('--at <time>', `when it began to be true, with its offset, such as ${INSTANT}`)
  .option('--json', 'print the whole answer as JSON')
  .action(runs(async () => (await import('./commands/add.ts')).addCommand));

withIdentifiers(withFolders(program.command('context')))
  .description('assemble the context for a question, with its receipt')
  .argument('<question>')
  .option('--max-tokens <count>', 'token limit (default and maximum: that of the policy, or 3000)')
  .option('--layout <name>', 'byQuestion, or cacheStable for prompt caches', 'byQuestion')
  .option('--json', 'print the whole answer, with the receipt, as JSON')
  .action(runs(async () => (await import('./commands/context.ts')).contextCommand));

withIdentifiers(withFolders(program.command('search')))
  .description('find memories, past turns and lines of files, each with a score')
  .argument('<question>')
  .option('--layer <name...>', 'only these layers')
  .option('--source <name...>', 'only these sources: memory, turn or line')
  .option('--mode <mode>', 'hybrid, semantic or keyword', 'hybrid')
  .option('--limit <count>', 'hits at most, 1 to 100 (default: 10)')
  .option('--order <by>', 'relevance, or precedence: the more specific layer first', 'relevance')
  .option(
    '--threshold <score>',
    `leave out hits below this score, 0 to 1 (default: ${THRESHOLD_DEFAULT})`,
  )
  .option('--tag <tag...>', 'only memories with one of these tags')
  .option(
    '--filter <json>',
    'only memories whose metadata matches, such as {"field":"priority","gte":3}',
  )
  .option('--explain', 'show both scores and how each layer was searched')
  .option('--json', 'print the whole answer as JSON')
  .action(runs(async () => (await import('./commands/search.ts')).searchCommand));

withIdentifiers(withFolders(program.command('why')))
  .description('trace a memory, a summary, a line or words of a context to their sources')
  .argument('<ref>', 'an id, a layer for its summary, or the words')
  .option('--json', 'print the whole answer as JSON')
  .action(runs(async () => (await import('./commands/why.ts')).whyCommand));

withPorts(withFolders(program.command('doctor')))
  .description('check every part, and explain how to fix problems')
  .action(async (options: ConfigOverrides) => {
    const { doctorCommand } = await import('./commands/doctor.ts');
    process.exitCode = await doctorCommand(configOf(options));
  });

withFolders(program.command('worker'))
  .description('run workflows and activities against TEMPORAL_ADDRESS')
  .addOption(
    new Option(
      '--role <role>',
      'what the worker runs; only a worker with the role models reads the keys of models',
    )
      .choices(WORKER_ROLES)
      .default('all'),
  )
  .action(async ({ role, ...options }: ConfigOverrides & { role: WorkerRole }) => {
    const { workerCommand } = await import('./commands/worker.ts');
    await workerCommand(configOf(options), role);
  });

withFolders(program.command('api'))
  .description('run only the API, beside workers and an operator; needs TEMPORAL_ADDRESS')
  .option('--host <address>', 'where to listen (default: 127.0.0.1)')
  .option(
    '--tls-cert <file>',
    'serve TLS with this certificate (PEM); Varve rereads it when it changes',
  )
  .option('--tls-key <file>', 'its key (PEM)')
  .option('--trusted-network', 'listen beyond this machine even if no token is set')
  .option('--api-port <port>', 'port of the API (default: 7420, or a free one if it is taken)')
  .action(runs(async () => (await import('./commands/api.ts')).apiCommand));

withFolders(program.command('operator'))
  .description('reconcile resources of a cluster, or of a folder, into the store')
  .option('--kubeconfig <file>', 'which API server (default: KUBECONFIG, else the one of the pod)')
  .option(
    '--namespace <name>',
    'namespace of the release, with its Lease and ModelProviders (default: default)',
  )
  .option('--watch-namespace <name...>', 'only resources of these namespaces (default: all)')
  .option(
    '--lease-name <name>',
    'the Lease that decides which replica leads (default: varve-operator)',
  )
  .option(
    '--cluster-id <id>',
    'name of this cluster in the store (default: UID-OF-KUBE-SYSTEM.NAMESPACE)',
  )
  .option('--request-rate <count>', 'most requests per second to the API server (default: 20)')
  .option('--host <address>', 'where to listen for probes and metrics (default: 127.0.0.1)')
  .option('--probe-port <port>', 'port of /healthz and /readyz (default: none)')
  .option('--from-folder <folder>', 'apply and watch YAML of a folder, without Kubernetes')
  .action(async ({ fromFolder, ...options }: ConfigOverrides & { fromFolder?: string }) => {
    const { operatorCommand } = await import('./commands/operator.ts');
    const policyDir = fromFolder ?? options.policyDir;
    const mode = fromFolder === undefined ? 'Cluster' : 'Folder';
    await operatorCommand(configOf({ ...options, policyDir }), mode);
  });

withFolders(program.command('init'))
  .description('write a first configuration for the current folder, and show what to do next')
  .option('--tenant <id>', 'tenant that will own the data', 'default')
  .option('--policy-dir <folder>', 'where policies go (default: in the data folder)')
  .action(async (options: { tenant: string } & ConfigOverrides) => {
    const { initCommand } = await import('./commands/init.ts');
    await initCommand(configOf(options), { tenant: options.tenant, folder: process.cwd() });
  });

withFolders(program.command('plan'))
  .description('preview what resources would change and cost, before you apply them')
  .requiredOption('-f, --file <path...>', 'YAML files, folders of them, or - for standard input')
  .option(
    '--namespace <name>',
    'namespace of resources that name none (default: the one of the tenant in the store)',
  )
  .option('--json', 'print the whole forecast as JSON')
  .action(async (options: import('./commands/plan.ts').PlanOptions & ConfigOverrides) => {
    const { planCommand } = await import('./commands/plan.ts');
    // For this command, the namespace is that of the resources, not of the release.
    const config = configOf({ ...options, namespace: undefined });
    process.exitCode = await planCommand(config, options);
  });

program
  .command('bundle')
  .description('build the workflow bundle for workers (VARVE_WORKFLOW_BUNDLE)')
  .argument('<file>')
  .action(async (file: string) => {
    const { bundleCommand } = await import('./commands/bundle.ts');
    await bundleCommand(file);
  });

withFolders(program.command('mcp'))
  .description('serve memories to a model as an MCP server, over standard input and output')
  .option('--tenant <id>', 'tenant', 'default')
  .option('--user <id>', 'fix the user')
  .option('--agent <id>', 'fix the agent')
  .option('--project <id>', 'fix the project (default: default, if nothing else is fixed)')
  .option('--session <id>', 'fix the session')
  .option('--team <id>', 'fix the team')
  .option('--org <id>', 'fix the org')
  .option('--company <id>', 'fix the company')
  .option('--open', 'let the model name identifiers that are not fixed')
  .option('--api-url <url>', 'call a running API (default: open the store of the data folder)')
  .addOption(
    new Option(
      '--print-config [client]',
      'print the client configuration that starts this server, and exit',
    ).choices(Object.keys(CLIENTS)),
  )
  .action(tellingClient(runs(async () => (await import('./commands/mcp.ts')).mcpCommand)));

addAdminCommands(program, runs);
addMemoryFileCommands(program, runs);
nameHelpAfterErrors(program, program.name());

try {
  await inOptionWords(() => program.parseAsync());
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : USAGE_EXIT;
  } else if (firstOf(error) !== unwritten) {
    end(exitOf(error, process.env['VARVE_LOG_LEVEL'] === 'debug'));
  }
}
