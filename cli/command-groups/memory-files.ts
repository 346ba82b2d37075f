/** The subcommands of `varve daily`, `core` and `dream`, each loading only what it needs. */
import type { Command } from 'commander';
import { type CommandRunner, withTenant } from '../shared-command-options.ts';

/** Adds all of them, in the order of the help. */
export function addMemoryFileCommands(program: Command, runs: CommandRunner): void {
  addDailyCommands(program, runs);
  addCoreCommands(program, runs);
  addDreamCommands(program, runs);
}

function addDailyCommands(program: Command, runs: CommandRunner): void {
  const group = program
    .command('daily')
    .description(
      'append to, show and list the daily files of an agent or a user: memory/YYYY-MM-DD.md',
    );
  const subcommand = (name: string) => ofSubject(group.command(name));

  subcommand('append')
    .description('append a block to the file of today; the first one creates the file')
    .argument(
      '[text]',
      'what to remember; put -- before a text that begins with -; without a text, or with -, ' +
        'it is read from standard input',
    )
    .showHelpAfterError(
      '(if a text begins with -, give it last, with -- before it: … -- "- Ann sings")',
    )
    .option('--heading <text>', 'heading of the block, up to 200 characters (default: Notes)')
    .option('--at <time>', 'when it was said, with its offset, such as 2026-11-21T14:30:00+01:00')
    .option('--key <key>', 'one key appends once, even if the command runs again')
    .option('--source <id>', 'a memory or turn that it rests on; may be repeated', collected)
    .action(runs(async () => (await import('../commands/daily.ts')).appendCommand));
  subcommand('show')
    .description('print the file of a day')
    .option('--day <day>', 'YYYY-MM-DD (default: today, in the time zone of the subject)')
    .option('--sources', 'print lines with their sources')
    .action(runs(async () => (await import('../commands/daily.ts')).showDailyCommand));
  subcommand('list')
    .description('list days that have a file')
    .action(runs(async () => (await import('../commands/daily.ts')).listDailyCommand));
}

function addCoreCommands(program: Command, runs: CommandRunner): void {
  const group = program
    .command('core')
    .description('show, edit or restore the long-term memory of an agent or a user: MEMORY.md');
  const subcommand = (name: string) => ofSubject(group.command(name));
  const expected = 'refuse if MEMORY.md is at another version (default: the newest)';

  subcommand('show')
    .description('print MEMORY.md')
    .argument('[version]', 'as it was at a version (default: the newest)')
    .option('--sources', 'print lines with their sources')
    .action(runs(async () => (await import('../commands/core-memory-md.ts')).showCoreCommand));
  subcommand('edit')
    .description('edit MEMORY.md in your editor; no dream restores lines that you delete')
    .option('-f, --file <name>', 'take the new text from a file, or - for standard input')
    .option('--expected-version <number>', expected)
    .action(runs(async () => (await import('../commands/core-memory-md.ts')).editCommand));
  subcommand('versions')
    .description('list versions of MEMORY.md with who wrote them, the newest first')
    .option('--limit <count>', 'versions at most, 1 to 50 (default: 20)')
    .option('--before <version>', 'only versions before this one')
    .action(runs(async () => (await import('../commands/core-memory-md.ts')).versionsCommand));
  subcommand('restore')
    .description('restore a version of MEMORY.md, as a new version')
    .argument('<version>')
    .option('--expected-version <number>', expected)
    .action(runs(async () => (await import('../commands/core-memory-md.ts')).restoreCommand));
}

function addDreamCommands(program: Command, runs: CommandRunner): void {
  const group = program
    .command('dream')
    .description('distill daily files into MEMORY.md, and approve or reject proposals');
  const plain = (name: string) => withTenant(group.command(name));

  ofSubject(group.command('run'))
    .description('dream now, and report the result')
    .option(
      '--lookback-days <count>',
      'daily files to read, 1 to 366 (default: as in the DeepDream, else 1)',
    )
    .option('--detach', 'start it and do not wait for it')
    .action(runs(async () => (await import('../commands/dream.ts')).runDreamCommand));
  plain('status')
    .description('show how the last dream of a subject ended, and why it failed')
    .option('--subject <kind/id>', 'owner of the memory, such as user/ann')
    .option(
      '--subject-id <id>',
      'anonymous id of the subject, as Temporal shows it; instead of --subject',
    )
    .action(runs(async () => (await import('../commands/dream.ts')).dreamStatusCommand));
  ofSubject(group.command('diary'))
    .description('print what dreams noted on a day: memory/dreams/YYYY-MM-DD.md')
    .option('--day <day>', 'YYYY-MM-DD (default: the last one)')
    .action(runs(async () => (await import('../commands/daily.ts')).diaryCommand));
  plain('list')
    .description('list what dreams proposed, the newest first')
    .option('--subject <kind/id>', 'only of one subject, such as user/ann')
    .option('--waiting', 'only what waits for a person')
    .option('--state <state>', 'Waiting, Approved, Applied, Rejected or Outdated')
    .option('--limit <count>', 'proposals at most, 1 to 50 (default: 20)')
    .option('--before <dream>', 'only proposals before this one, by its id')
    .action(runs(async () => (await import('../commands/dream.ts')).listDreamsCommand));
  plain('show')
    .description('show what one dream proposed: lines added, removed or left out, and why')
    .argument('<dream>', 'its id')
    .action(runs(async () => (await import('../commands/dream.ts')).showDreamCommand));
  addDecisions(plain, runs);
  plain('schedules')
    .description('show when DeepDreams run next, and how the last run ended')
    .action(runs(async () => (await import('../commands/dream.ts')).schedulesCommand));
}

function addDecisions(plain: (name: string) => Command, runs: CommandRunner): void {
  plain('approve')
    .description('apply a proposal')
    .argument('<dream>', 'id of the dream')
    .option('--reason <text>', 'reason, which is stored with the proposal')
    .action(runs(async () => (await import('../commands/dream.ts')).approveCommand));
  plain('reject')
    .description('reject a proposal; MEMORY.md stays unchanged')
    .argument('<dream>', 'id of the dream')
    .requiredOption('--reason <text>', 'reason, which is stored with the proposal')
    .action(runs(async () => (await import('../commands/dream.ts')).rejectCommand));
}

function ofSubject(command: Command): Command {
  return withTenant(command).requiredOption(
    '--subject <kind/id>',
    'owner of the memory, such as user/ann',
  );
}

/** Collects an option that is repeated with one value each: a text argument may follow it. */
function collected(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
