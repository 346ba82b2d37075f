/** The commands of operators: `varve audit`, `budget`, `compact`, `embeddings`, `erase`, … */
import { type Command, Option } from 'commander';
import type { ReembedOrder } from '#providers/temporal/reembed-runs.ts';
import type { AuditOptions } from '../commands/audit.ts';
import type { GrantOptions, ShowOptions } from '../commands/budget.ts';
import type { CompactOptions } from '../commands/compact.ts';
import type { MigrateOptions } from '../commands/embeddings.ts';
import type { EraseOptions, ErasuresOptions } from '../commands/erase.ts';
import type { CreateKeyOptions, KeysOptions } from '../commands/keys.ts';
import type { DecisionOptions, ListOptions, PromoteOptions } from '../commands/review.ts';
import type { DeadOptions, RetryOptions } from '../commands/summaries.ts';
import type { MoveOptions } from '../commands/tenants.ts';
import type { ConfigOverrides } from '../config.ts';
import type { ChangeOptions } from '../embeddings-command-parts.ts';
import { EMBEDDERS } from '../model-settings.ts';
import { type Registration, withIdentifiers } from '../shared-command-options.ts';

export function addBudgetCommands(program: Command, { withFolders, configOf }: Registration): void {
  const group = program.command('budget').description('show or raise the budget of a tenant');
  const subcommand = (name: string) =>
    withFolders(group.command(name))
      .option('--tenant <id>', 'tenant', 'default')
      .option('--period <month>', 'calendar month in UTC, YYYY-MM (default: the current one)')
      .option('--json', 'print the whole answer as JSON');

  subcommand('show')
    .description('limits, grants, what was spent and what is reserved')
    .action(async (options: ShowOptions & ConfigOverrides) => {
      const { showCommand } = await import('../commands/budget.ts');
      await showCommand(configOf(options), options);
    });
  subcommand('grant')
    .description('raise the limits of one period; work that waits for budget resumes')
    .option('--tokens <count>', 'tokens to add')
    .option('--micro-dollars <count>', 'millionths of a dollar to add')
    .option('--dollars <amount>', 'dollars to add, such as 2.50')
    .requiredOption('--reason <text>', 'why; kept with the grant')
    .option('--key <key>', 'the same key grants once, however often the command runs')
    .action(async (options: GrantOptions & ConfigOverrides) => {
      const { grantCommand } = await import('../commands/budget.ts');
      await grantCommand(configOf(options), options);
    });
}

export function addAuditCommand(program: Command, { withFolders, configOf }: Registration): void {
  withFolders(program.command('audit'))
    .description('show what callers of a tenant wrote, and what was refused to them')
    .option('--tenant <id>', 'tenant', 'default')
    .option('--since <time>', 'only from then on, such as 2026-11-21T14:30:00Z')
    .option('--limit <count>', 'entries at most, the newest (default: 100)')
    .option('--json-lines', 'print all of it, the oldest first, one JSON object a line')
    .action(async (options: AuditOptions & ConfigOverrides) => {
      const { auditCommand } = await import('../commands/audit.ts');
      await auditCommand(configOf(options), options);
    });
}

export function addKeysCommands(program: Command, { withFolders, configOf }: Registration): void {
  const group = program.command('keys').description('who may call the API of this installation');
  const subcommand = (name: string) =>
    withFolders(group.command(name))
      .option('--tenant <id>', 'tenant', 'default')
      .option('--json', 'print the whole answer as JSON');

  subcommand('create')
    .description('make an API key, and print it this once')
    .requiredOption('--name <name>', 'what it is called beside what it writes')
    .requiredOption('--role <role>', 'read, write, operate or admin')
    .option('--expires <time>', 'a duration or a date, such as 90d (default: never)')
    .option('--only-layer <name...>', 'only these layers (default: all)')
    .option('--agent <id>', 'only this agent')
    .option('--user <id>', 'only this user')
    .option('--session <id>', 'only this session')
    .option('--project <id>', 'only this project')
    .option('--team <id>', 'only this team')
    .option('--org <id>', 'only this org')
    .option('--company <id>', 'only this company')
    .action(async (options: CreateKeyOptions & ConfigOverrides) => {
      const { createKeyCommand } = await import('../commands/keys.ts');
      await createKeyCommand(configOf(options), options);
    });
  subcommand('list')
    .description('show the keys of a tenant, without their secrets')
    .action(async (options: KeysOptions & ConfigOverrides) => {
      const { listKeysCommand } = await import('../commands/keys.ts');
      await listKeysCommand(configOf(options), options);
    });
  subcommand('revoke')
    .description('end a key at once')
    .argument('<id>')
    .action(async (id: string, options: KeysOptions & ConfigOverrides) => {
      const { revokeKeyCommand } = await import('../commands/keys.ts');
      await revokeKeyCommand(configOf(options), id, options);
    });
}

export function addReviewCommands(program: Command, { withFolders, configOf }: Registration): void {
  const group = program.command('review').description('decide on what waits for a person');
  const subcommand = (name: string) =>
    withFolders(group.command(name))
      .option('--tenant <id>', 'tenant', 'default')
      .option('--json', 'print the whole answer as JSON');

  subcommand('list')
    .description('what waits, the newest first: texts that rules hold back, and promotions')
    .option('--state <state>', 'Waiting, Approved, Refused or Outdated (default: Waiting)')
    .option('--all', 'in whatever state')
    .option('--full', 'each text as a whole')
    .option('--limit <count>', 'reviews at most, 1 to 100 (default: 20)')
    .option('--before <review>', 'only those before this one, by its id')
    .action(async (options: ListOptions & ConfigOverrides) => {
      const { listReviewsCommand } = await import('../commands/review.ts');
      await listReviewsCommand(configOf(options), options);
    });
  withIdentifiers(withFolders(group.command('promote')))
    .description('propose a memory for a broader layer, such as a team')
    .argument('<memory>', 'its id')
    .requiredOption('--layer <name>', 'the layer that it is proposed for (required)')
    .option('--reason <text>', 'the reason, shown to the approver')
    .option('--json', 'print the whole answer as JSON')
    .action(async (id: string, options: PromoteOptions & ConfigOverrides) => {
      const { promoteCommand } = await import('../commands/review.ts');
      await promoteCommand(configOf(options), id, options);
    });
  subcommand('approve')
    .description('let a text count like any other, or a memory into the broader layer')
    .argument('<review>', 'its id')
    .option('--reason <text>', 'why; kept with the review')
    .action(async (id: string, options: DecisionOptions & ConfigOverrides) => {
      const { approveReviewCommand } = await import('../commands/review.ts');
      await approveReviewCommand(configOf(options), id, options);
    });
  subcommand('refuse')
    .description('keep a text out for good')
    .argument('<review>', 'its id')
    .requiredOption('--reason <text>', 'why; kept with the review (required)')
    .action(async (id: string, options: DecisionOptions & ConfigOverrides) => {
      const { refuseReviewCommand } = await import('../commands/review.ts');
      await refuseReviewCommand(configOf(options), id, options);
    });
}

export function addSummariesCommands(
  program: Command,
  { withFolders, configOf }: Registration,
): void {
  const group = program.command('summaries').description('summaries that could not be made');
  const subcommand = (name: string) =>
    withFolders(group.command(name)).option('--tenant <id>', 'tenant', 'default');

  subcommand('dead-letters')
    .description('list dead letters: scopes that failed three times, with the reason')
    .option('--json', 'print the whole answer as JSON')
    .action(async (options: DeadOptions & ConfigOverrides) => {
      const { deadLettersCommand } = await import('../commands/summaries.ts');
      await deadLettersCommand(configOf(options), options);
    });
  subcommand('retry')
    .description('try dead letters again')
    .option('--layer <name>', 'only those of a layer')
    .option('--scope <id>', 'only the scope of this id')
    .action(async (options: RetryOptions & ConfigOverrides) => {
      const { retryCommand } = await import('../commands/summaries.ts');
      await retryCommand(configOf(options), options);
    });
}

export function addCompactCommand(program: Command, { withFolders, configOf }: Registration): void {
  withFolders(program.command('compact'))
    .description('delete the text of expired turns, keeping quotes that summaries cite')
    .option('--tenant <id>', 'tenant', 'default')
    .option('--dry-run', 'say what would go, and write nothing')
    .option('--detach', 'do not wait for a run that is durable')
    .option('--json', 'print the whole answer as JSON')
    .action(async (options: CompactOptions & ConfigOverrides) => {
      const { compactCommand } = await import('../commands/compact.ts');
      await compactCommand(configOf(options), options);
    });
}

export function addTenantsCommands(
  program: Command,
  { withFolders, configOf }: Registration,
): void {
  const group = program.command('tenants').description('hand tenants on between namespaces');
  withFolders(group.command('move'))
    .description('let another namespace of the cluster declare a released tenant')
    .requiredOption('--tenant <id>', 'tenant whose MemoryTenant was deleted (required)')
    .requiredOption('--to-namespace <name>', 'namespace that gets it (required)')
    .action(async (options: MoveOptions & ConfigOverrides) => {
      const { moveCommand } = await import('../commands/tenants.ts');
      await moveCommand(configOf(options), options);
    });
}

export function addEraseCommands(program: Command, { withFolders, configOf }: Registration): void {
  withFolders(program.command('erase'))
    .description('erase a memory, a session, a person or a tenant for good, with a receipt')
    .option('--tenant <id>', 'tenant', 'default')
    .option('--memory <id>', 'a memory, and what rests on it')
    .option('--session <id>', 'a session, and what was made of it')
    .option('--user <id>', 'a person: every record that names the user')
    .option('--everything', 'everything of the tenant but its policy')
    .option('--receipts <file>', 'what a restore brought back, by receipts kept outside of it')
    .option('--dry-run', 'say what would go, and write nothing')
    .option('--yes', 'do it: what is erased never comes back')
    .option('--json', 'print the whole answer, with the receipt, as JSON')
    .action(async (options: EraseOptions & ConfigOverrides) => {
      const { eraseCommand } = await import('../commands/erase.ts');
      await eraseCommand(configOf(options), options);
    });
  withFolders(program.command('erasures'))
    .description('list the receipts of erasures, and check their chain')
    .option('--tenant <id>', 'tenant', 'default')
    .option('--after <number>', 'only receipts after this one')
    .option('--limit <count>', 'receipts at most (default: 20)')
    .option('--json', 'print the whole answer as JSON')
    .option('--json-lines', 'print all receipts whole, one JSON object a line')
    .action(async (options: ErasuresOptions & ConfigOverrides) => {
      const { erasuresCommand } = await import('../commands/erase.ts');
      await erasuresCommand(configOf(options), options);
    });
}

const ORDERS: readonly [string, ReembedOrder, string][] = [
  ['pause', 'Pause', 'stop embedding; both models are searched until it goes on'],
  ['resume', 'Resume', 'go on after a pause'],
  ['rollback', 'RollBack', 'go back to the old model, before or after the cut-over'],
  ['finish', 'Finish', 'remove the old vectors now; there is no way back after it'],
];

/** The subcommands of `varve embeddings`, each loading only what it needs. */
export function addEmbeddingsCommands(
  program: Command,
  { withFolders, configOf }: Registration,
): void {
  const group = program
    .command('embeddings')
    .description('change the embedding model; both are searched until it is done');
  const subcommand = (name: string) => withFolders(group.command(name)).addOption(to());

  withFolders(group.command('status'))
    .description('show the model of each tenant, and the progress of a change')
    .action(async (options: ConfigOverrides) => {
      const { statusCommand } = await import('../commands/embeddings.ts');
      await statusCommand(configOf(options));
    });
  subcommand('estimate')
    .description('estimate memories, tokens and money of a change')
    .option('--tenant <id...>', 'only these tenants')
    .action(async (options: ChangeOptions & ConfigOverrides) => {
      const { estimateCommand } = await import('../commands/embeddings.ts');
      await estimateCommand(configOf(options), options);
    });
  subcommand('migrate')
    .description('embed every memory with another model, then rely on it')
    .option('--tenant <id...>', 'only these tenants')
    .option('--yes', 'do not ask')
    .option('--detach', 'leave when it has begun')
    .option('--keep-old <duration>', 'keep the old vectors so long after it (default: 1d)')
    .action(async (options: MigrateOptions & ConfigOverrides) => {
      const { migrateCommand } = await import('../commands/embeddings.ts');
      await migrateCommand(configOf(options), options);
    });
  for (const [name, order, description] of ORDERS) {
    subcommand(name)
      .description(description)
      .action(async (options: ChangeOptions & ConfigOverrides) => {
        const { orderCommand } = await import('../commands/embeddings.ts');
        await orderCommand(configOf(options), order, options);
      });
  }
}

function to(): Option {
  return new Option('--to <model>', 'default: the configured one').choices(EMBEDDERS);
}
