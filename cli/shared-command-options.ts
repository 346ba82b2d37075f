/** Options that several commands share. */
import type { Command } from 'commander';
import { VarveError } from '#core/errors.ts';
import { IDENTIFIER_OF, type Identifiers } from '#core/identifiers.ts';
import { LAYERS, type Layer } from '#core/layer.ts';
import type { Config, ConfigOverrides } from './config.ts';

/** A path that means standard input. */
export const STANDARD_INPUT = '-';

/** @throws VarveError INVALID_LAYER naming the existing layers */
export function layerFromOption(name: string): Layer {
  const layer = LAYERS.find((each) => each === name);
  if (layer !== undefined) return layer;
  const message = `--layer takes one of ${LAYERS.join(', ')}, not "${name}".`;
  throw new VarveError('INVALID_LAYER', message);
}

/** An id for each named layer, such as `--user ann`. */
export type LayerIds = Partial<Readonly<Record<Layer, string>>>;

/** Adds `--tenant` and an option for the id of each layer to a command that reads. */
export function withIdentifiers(command: Command): Command {
  return command
    .option('--tenant <id>', 'tenant', 'default')
    .option('--project <id>', 'project', 'default')
    .option('--user <id>', 'user')
    .option('--session <id>', 'session')
    .option('--agent <id>', 'agent')
    .option('--team <id>', 'team')
    .option('--org <id>', 'org')
    .option('--company <id>', 'company');
}

/** Returns the ids under the names that operations use. */
export function identifiersFromOptions(ids: LayerIds): Identifiers {
  return Object.fromEntries(
    LAYERS.flatMap((layer) => {
      const id = ids[layer];
      return id === undefined ? [] : [[IDENTIFIER_OF[layer], id] as const];
    }),
  );
}

/** Adds the options shared by every command that touches an installation. */
export function withFolders(command: Command): Command {
  return command
    .option('--data-dir <folder>', 'where everything is stored (default: .varve)')
    .option('--embedder <name>', 'lexical, endpoint, or local: a model on this machine');
}

/** Adds these and the options of every command on the data of a tenant. */
export function withTenant(command: Command): Command {
  return withFolders(command)
    .option('--tenant <id>', 'tenant', 'default')
    .option('--json', 'print the whole answer as JSON');
}

/** A command as its file exports it: the configuration, its arguments, and its options last. */
type CommandRun<Given extends readonly unknown[]> = (
  config: Config,
  ...given: Given
) => Promise<void>;

/** Makes the actions of commands, whose files are loaded only when they run. */
export function runsWith(configOf: (options: ConfigOverrides) => Config) {
  return <Given extends readonly unknown[]>(load: () => Promise<CommandRun<Given>>) =>
    async (...passed: readonly unknown[]): Promise<void> => {
      const command = passed.at(-1) as Command;
      const run = await load();
      await run(configOf(command.opts()), ...(passed.slice(0, -1) as unknown as Given));
    };
}

export type CommandRunner = ReturnType<typeof runsWith>;
