/** `--layer` of the commands that look at some layers only, and the ids that open layers. */
import type { Command } from 'commander';
import { VarveError } from '#core/errors.ts';
import { IDENTIFIER_OF, type Identifiers } from '#core/identifiers.ts';
import { LAYERS, type Layer } from '#core/layer.ts';

/** @throws VarveError INVALID_LAYER naming the layers that there are */
export function layerOf(name: string): Layer {
  const layer = LAYERS.find((each) => each === name);
  if (layer !== undefined) return layer;
  const message = `--layer takes one of ${LAYERS.join(', ')}, and not "${name}".`;
  throw new VarveError('INVALID_LAYER', message);
}

/** An id for each layer that is named, such as `--user ann`. */
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

/** The ids under the names that operations take them by. */
export function identifiersOf(ids: LayerIds): Identifiers {
  return Object.fromEntries(
    LAYERS.flatMap((layer) => {
      const id = ids[layer];
      return id === undefined ? [] : [[IDENTIFIER_OF[layer], id] as const];
    }),
  );
}
