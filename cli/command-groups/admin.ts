/** The commands of operators: `varve audit`, `budget`, `compact`, `embeddings`, `erase`, … */
import { type Command, Option } from 'commander';
import type { ReembedOrder } from '#providers/temporal/reembed-runs.ts';
import type { ChangeOptions } from '../embeddings-command-parts.ts';
import type { Config } from '../config.ts';
import { EMBEDDERS } from '../model-settings.ts';
import {
  type CommandRunner,
  withFolders,
  withIdentifiers,
  withTenant,
} from '../shared-command-options.ts';

/** Adds all of them, in the order of the help. */
export function addAdminCommands(program: Command, runs: CommandRunner): void {
  addBudgetCommands(program, runs);
  addAuditCommand(program, runs);
  addKeysCommands(program, runs);
  addReviewCommands(program, runs);
  addSummariesCommands(program, runs);
  addCompactCommand(program, runs);
  addExportCommand(program, runs);
  addBackupCommands(program, runs);
  addEraseCommands(program, runs);
  addTenantsCommands(program, runs);
  addEmbeddingsCommands(program, runs);
}

function addBudgetCommands(program: Command, runs: CommandRunner): void {
  const group = program.command('budget').description('show or raise the budget of a tenant');
  const subcommand = (name: string) =>
    withFolders(group.command(name))
      .option('--tenant <id>', 'tenant', 'default')
      .option('--period <month>', 'calendar month in UTC, YYYY-MM (default: the current one)')
      .option('--json', 'print the whole answer as JSON');

  subcommand('show')
    .description('show limits, grants, what was spent and what is reserved')
    .action(runs(async () => (await import('../commands/budget.ts')).showCommand));
  subcommand('grant')
    .description('raise the limits of one period; work that waits for budget resumes')
    .option('--tokens <count>', 'tokens to add')
    .option('--micro-dollars <count>', 'millionths of a dollar to add')
    .option('--dollars <amount>', 'dollars to add, such as 2.50')
    .requiredOption('--reason <text>', 'reason, which is stored with the grant')
    .option('--key <key>', 'one key grants once, even if the command runs again')
    .action(runs(async () => (await import('../commands/budget.ts')).grantCommand));
}

function addAuditCommand(program: Command, runs: CommandRunner): void {
  withFolders(program.command('audit'))
    .description('show what callers of a tenant wrote, and which calls were refused')
    .option('--tenant <id>', 'tenant', 'default')
    .option('--since <time>', 'only entries from this time on, such as 2026-11-21T14:30:00Z')
    .option('--limit <count>', 'entries at most, the newest (default: 100)')
    .option('--json-lines', 'print all entries, oldest first, one JSON object per line')
    .action(runs(async () => (await import('../commands/audit.ts')).auditCommand));
}

function addKeysCommands(program: Command, runs: CommandRunner): void {
  const group = program.command('keys').description('create, list and revoke API keys');
  const subcommand = (name: string) => withTenant(group.command(name));

  subcommand('create')
    .description('create an API key, and print it only this once')
    .requiredOption('--name <name>', 'name of the key, shown with everything that it writes')
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
    .action(runs(async () => (await import('../commands/keys.ts')).createKeyCommand));
  subcommand('list')
    .description('show the keys of a tenant, without their secrets')
    .action(runs(async () => (await import('../commands/keys.ts')).listKeysCommand));
  subcommand('revoke')
    .description('revoke a key at once')
    .argument('<id>')
    .action(runs(async () => (await import('../commands/keys.ts')).revokeKeyCommand));
}

function addReviewCommands(program: Command, runs: CommandRunner): void {
  const group = program
    .command('review')
    .description('list, approve and refuse what waits for a person');
  const subcommand = (name: string) => withTenant(group.command(name));

  subcommand('list')
    .description('list what waits, the newest first: texts that rules hold back, and promotions')
    .option('--state <state>', 'Waiting, Approved, Refused or Outdated (default: Waiting)')
    .option('--all', 'reviews in any state')
    .option('--full', 'each text in full')
    .option('--limit <count>', 'reviews at most, 1 to 100 (default: 20)')
    .option('--before <review>', 'only reviews before this one, by its id')
    .action(runs(async () => (await import('../commands/review.ts')).listReviewsCommand));
  withIdentifiers(withFolders(group.command('promote')))
    .description('propose a memory for a broader layer, such as a team')
    .argument('<memory>', 'id of the memory')
    .requiredOption('--layer <name>', 'the layer that it is proposed for')
    .option('--reason <text>', 'the reason, shown to the approver')
    .option('--json', 'print the whole answer as JSON')
    .action(runs(async () => (await import('../commands/review.ts')).promoteCommand));
  subcommand('approve')
    .description('approve: the text counts like any other, or the memory enters the broader layer')
    .argument('<review>', 'id of the review')
    .option('--reason <text>', 'reason, which is stored with the review')
    .action(runs(async () => (await import('../commands/review.ts')).approveReviewCommand));
  subcommand('refuse')
    .description('keep a text out for good')
    .argument('<review>', 'id of the review')
    .requiredOption('--reason <text>', 'reason, which is stored with the review')
    .action(runs(async () => (await import('../commands/review.ts')).refuseReviewCommand));
}

function addSummariesCommands(program: Command, runs: CommandRunner): void {
  const group = program
    .command('summaries')
    .description('show and make summaries; list and retry those that could not be made');
  const subcommand = (name: string) =>
    withFolders(group.command(name)).option('--tenant <id>', 'tenant', 'default');

  withIdentifiers(withFolders(group.command('show')))
    .description('print the summary of each layer, and whether it is fresh')
    .option('--json', 'print the whole answer as JSON')
    .action(runs(async () => (await import('../commands/summaries.ts')).showSummariesCommand));
  subcommand('refresh')
    .description('regenerate outdated summaries, and extract memories from pending turns')
    .option('--kind <kind>', 'Stale, or only what is Due (default: Stale)')
    .option('--json', 'print the whole answer as JSON')
    .action(runs(async () => (await import('../commands/summaries.ts')).refreshCommand));
  subcommand('dead-letters')
    .description('list dead letters: scopes that failed three times, with the reason')
    .option('--json', 'print the whole answer as JSON')
    .action(runs(async () => (await import('../commands/summaries.ts')).deadLettersCommand));
  subcommand('retry')
    .description('retry dead letters')
    .option('--layer <name>', 'only those of a layer')
    .option('--scope <id>', 'only the scope with this id')
    .action(runs(async () => (await import('../commands/summaries.ts')).retryCommand));
}

function addCompactCommand(program: Command, runs: CommandRunner): void {
  withFolders(program.command('compact'))
    .description('delete the text of expired turns, keeping quotes that summaries cite')
    .option('--tenant <id>', 'tenant', 'default')
    .option('--dry-run', 'show what would be deleted, and write nothing')
    .option('--detach', 'with Temporal, start the run and do not wait for it')
    .option('--json', 'print the whole answer as JSON')
    .action(runs(async () => (await import('../commands/compact.ts')).compactCommand));
}

function addTenantsCommands(program: Command, runs: CommandRunner): void {
  const group = program.command('tenants').description('move tenants between namespaces');
  withFolders(group.command('move'))
    .description('let another namespace of the cluster declare a released tenant')
    .requiredOption('--tenant <id>', 'tenant whose MemoryTenant was deleted')
    .requiredOption('--to-namespace <name>', 'namespace that gets it')
    .action(runs(async () => (await import('../commands/tenants.ts')).moveCommand));
}

function addExportCommand(program: Command, runs: CommandRunner): void {
  withFolders(program.command('export'))
    .description('print everything held about a person, one JSON object per line')
    .option('--tenant <id>', 'tenant', 'default')
    .requiredOption('--user <id>', 'the person, by the id that other calls give as userId')
    .action(runs(async () => (await import('../commands/export.ts')).exportCommand));
}

function addBackupCommands(program: Command, runs: CommandRunner): void {
  withFolders(program.command('backup'))
    .description('copy the store of a data folder into one file, even while Varve runs')
    .argument('<file>', 'a new file; it holds what people said, so only its owner may read it')
    .option('--json', 'print the answer as JSON')
    .action(runs(async () => (await import('../commands/backup.ts')).backupCommand));
  withFolders(program.command('restore'))
    .description('replace the store by a backup, and repeat the erasures made since')
    .argument('<file>', 'a file that varve backup wrote')
    .option('--replace', 'overwrite the store that the data folder has now')
    .option('--json', 'print the answer as JSON')
    .action(runs(async () => (await import('../commands/backup.ts')).restoreCommand));
}

function addEraseCommands(program: Command, runs: CommandRunner): void {
  withFolders(program.command('erase'))
    .description('erase a memory, a turn, a session, a person or a tenant for good, with a receipt')
    .option('--tenant <id>', 'tenant', 'default')
    .option('--memory <id>', 'a memory, and what rests on it')
    .option('--session <id>', 'a session, and what was made from it')
    .option('--turn <id>', 'only this turn of the session, and what was made from it')
    .option('--user <id>', 'a person: every record that names the user')
    .option('--everything', 'everything of the tenant except its policy')
    .option(
      '--receipts <file>',
      'erase again what a restore brought back, using receipts kept outside the database',
    )
    .option('--dry-run', 'show what would be deleted, and write nothing')
    .option('--yes', 'confirm: erased data cannot be restored')
    .option('--json', 'print the whole answer, with the receipt, as JSON')
    .action(runs(async () => (await import('../commands/erase.ts')).eraseCommand));
  withFolders(program.command('erasures'))
    .description('list the receipts of erasures, and check their chain')
    .option('--tenant <id>', 'tenant', 'default')
    .option('--after <number>', 'only receipts after this one')
    .option('--limit <count>', 'receipts at most (default: 20)')
    .option('--json', 'print the whole answer as JSON')
    .option('--json-lines', 'print all receipts in full, one JSON object per line')
    .action(runs(async () => (await import('../commands/erase.ts')).erasuresCommand));
}

const ORDERS: readonly [string, ReembedOrder, string][] = [
  ['pause', 'Pause', 'stop embedding; searches use both models until it resumes'],
  ['resume', 'Resume', 'continue after a pause'],
  ['rollback', 'RollBack', 'go back to the old model, before or after the cut-over'],
  ['finish', 'Finish', 'remove the old vectors now; this cannot be undone'],
];

/** The subcommands of `varve embeddings`, each loading only what it needs. */
function addEmbeddingsCommands(program: Command, runs: CommandRunner): void {
  const group = program
    .command('embeddings')
    .description('change the embedding model; searches use both models until the change is done');
  const subcommand = (name: string) => withFolders(group.command(name)).addOption(to());

  withFolders(group.command('status'))
    .description('show the model of each tenant, and the progress of a change')
    .action(runs(async () => (await import('../commands/embeddings.ts')).statusCommand));
  subcommand('estimate')
    .description('estimate memories, tokens and money of a change')
    .option('--tenant <id...>', 'only these tenants')
    .action(runs(async () => (await import('../commands/embeddings.ts')).estimateCommand));
  subcommand('migrate')
    .description('embed every memory with another model, then search with it')
    .option('--tenant <id...>', 'only these tenants')
    .option('--yes', 'do not ask for confirmation')
    .option('--detach', 'start it and do not wait for it')
    .option('--keep-old <duration>', 'how long to keep the old vectors afterward (default: 1d)')
    .action(runs(async () => (await import('../commands/embeddings.ts')).migrateCommand));
  for (const [name, order, description] of ORDERS) {
    subcommand(name)
      .description(description)
      .action(
        runs(async () => {
          const { orderCommand } = await import('../commands/embeddings.ts');
          return (config: Config, options: ChangeOptions) => orderCommand(config, order, options);
        }),
      );
  }
}

function to(): Option {
  return new Option('--to <model>', 'default: the configured one').choices(EMBEDDERS);
}
