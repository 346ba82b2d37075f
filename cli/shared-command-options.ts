/** Options that several commands share. Some are checked against a field of an operation. */
import type { Command } from 'commander';
import { z } from 'zod';
import { VarveError } from '#core/errors.ts';
import { IDENTIFIER_OF, type Identifiers } from '#core/identifiers.ts';
import { LAYERS, type Layer } from '#core/layer.ts';
import { optionName, type Config, type ConfigOverrides } from './config.ts';

/** A path that means standard input. */
export const STANDARD_INPUT = '-';

interface Taking<In extends z.ZodType> {
  readonly input: In;
}
type FieldOf<In extends z.ZodType> = keyof z.input<In> & string;

/** The schema of a field, as in JSON Schema. */
interface FieldShape {
  readonly type?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
}

/** A field with the value of its option; without one if the option may be absent. */
type Given<Field extends string, Value, Text> = Text extends string
  ? { readonly [Name in Field]: Value }
  : { readonly [Name in Field]?: Value };

/**
 * Reads an option as a number within the bounds of its field; nothing if the option is absent.
 * @param option how an error names it
 * @throws VarveError INVALID_INPUT naming the option, its range and the given value
 */
export function numberOption<
  In extends z.ZodType,
  Field extends FieldOf<In>,
  Text extends string | undefined,
>(
  operation: Taking<In>,
  field: Field,
  text: Text,
  option = optionName(field),
): Given<Field, number, Text> {
  if (text === undefined) return {} as Given<Field, number, Text>;
  const { type, minimum = -Infinity, maximum = Infinity } = shapeOf(operation, field);
  const number = text.trim() === '' ? Number.NaN : Number(text);
  const isOne = type === 'integer' ? Number.isSafeInteger(number) : Number.isFinite(number);
  if (isOne && number >= minimum && number <= maximum) {
    return { [field]: number } as Given<Field, number, Text>;
  }
  const what = type === 'integer' ? 'a whole number' : 'a number';
  const end = maximum >= Number.MAX_SAFE_INTEGER ? 'on' : `to ${String(maximum)}`;
  throw refused(option, `${what} from ${String(minimum)} ${end}`, text);
}

/**
 * Reads an option as one of the words of its field; nothing if the option is absent.
 * @throws VarveError INVALID_INPUT naming the option and the words
 */
export function choiceOption<
  In extends z.ZodType,
  Field extends FieldOf<In>,
  Text extends string | undefined,
>(
  operation: Taking<In>,
  field: Field,
  text: Text,
): Given<Field, NonNullable<z.input<In>[Field]>, Text> {
  if (text === undefined) return {} as ReturnType<typeof choiceOption<In, Field, Text>>;
  const words = shapeOf(operation, field).enum ?? [];
  if (words.includes(text))
    return { [field]: text } as unknown as ReturnType<typeof choiceOption<In, Field, Text>>;
  throw refused(optionName(field), `one of ${words.join(', ')}`, text);
}

function shapeOf({ input }: Taking<z.ZodType>, field: string): FieldShape {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  return (properties[field] ?? {}) as FieldShape;
}

function refused(option: string, taken: string, text: string): VarveError {
  return new VarveError('INVALID_INPUT', `${option} takes ${taken}, not "${text}".`);
}

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
