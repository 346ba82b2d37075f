/** The subcommands of `varve embeddings`, each loading only what it needs. */
import { Option, type Command } from 'commander';
import type { ReembedOrder } from '#providers/temporal/reembed-runs.ts';
import type { MigrateOptions } from '../commands/embeddings.ts';
import type { ConfigOverrides } from '../config.ts';
import { EMBEDDERS } from '../local-model-settings.ts';
import type { ChangeOptions } from './installation.ts';
import type { Registration } from '../registration.ts';

const ORDERS: readonly [string, ReembedOrder, string][] = [
  ['pause', 'Pause', 'stop embedding; both models are searched until it goes on'],
  ['resume', 'Resume', 'go on after a pause'],
  ['rollback', 'RollBack', 'go back to the old model, before or after the cut-over'],
  ['finish', 'Finish', 'remove the old vectors now; there is no way back after it'],
];

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
