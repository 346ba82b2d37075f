/** Commands of operations: their options become its input, by the schema of the operation. */
import { z } from 'zod';
import { checkedInput, type Operation, type OperationKind } from '#api/operations/operation.ts';
import { VarveError } from '#core/errors.ts';
import { optionName, type Config } from './config.ts';
import {
  dayOption,
  print,
  subjectFromOption,
  type TenantOptions,
} from './memory-files/memory-file-options.ts';
import { openLibraryForCommand, type OrderingOptions } from './open-library-for-command.ts';
import { identifiersFromOptions, layerFromOption } from './shared-command-options.ts';

interface Taking<In extends z.ZodType> {
  readonly input: In;
}

/** The schema of a field, as in JSON Schema. */
interface FieldShape {
  readonly type?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly FieldShape[];
}

/**
 * Returns the options that have the names of fields, each read as its field takes it; the
 * identifiers, for an operation that takes them; and `fields`, which take precedence.
 * @throws VarveError INVALID_INPUT naming the option, what it takes and the given value;
 * INVALID_LAYER
 */
export function inputFromOptions<In extends z.ZodType>(
  operation: Taking<In>,
  options: object,
  fields: Partial<z.input<In>> = {},
): z.input<In> {
  const named = new Map<string, unknown>(Object.entries(options));
  const read = Object.entries(shapesOf(operation)).flatMap(([field, shape]) => {
    if (field === 'identifiers') return [[field, identifiersFromOptions(options)]];
    const given = named.get(field);
    return given === undefined || field in fields ? [] : [[field, valueOf(field, given, shape)]];
  });
  return checkedInput(operation, { ...Object.fromEntries(read), ...fields } as z.input<In>);
}

function valueOf(field: string, given: unknown, shape: FieldShape): unknown {
  if (typeof given !== 'string') return given;
  if (field === 'subject') return subjectFromOption(given);
  if (field === 'layer') return layerFromOption(given);
  if (field === 'day') return dayOption(given);
  if (shape.type === 'integer' || shape.type === 'number') {
    return numberIn(optionName(field), given, shape);
  }
  const { enum: words = [given] } = shape;
  if (words.includes(given)) return given;
  throw refused(optionName(field), `one of ${words.join(', ')}`, given);
}

/**
 * Reads a text as the number that a field takes.
 * @param option how an error names it
 * @throws VarveError INVALID_INPUT naming the option, its range and the given value
 */
export function numberFor(
  operation: Taking<z.ZodType>,
  field: string,
  text: string,
  option = optionName(field),
): number {
  return numberIn(option, text, shapesOf(operation)[field] ?? {});
}

function numberIn(
  option: string,
  text: string,
  { type, minimum = -Infinity, maximum = Infinity }: FieldShape,
): number {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  const isOne = type === 'integer' ? Number.isSafeInteger(number) : Number.isFinite(number);
  if (isOne && number >= minimum && number <= maximum) return number;
  const what = type === 'integer' ? 'a whole number' : 'a number';
  const end = maximum >= Number.MAX_SAFE_INTEGER ? 'on' : `to ${String(maximum)}`;
  throw refused(option, `${what} from ${String(minimum)} ${end}`, text);
}

function shapesOf({ input }: Taking<z.ZodType>): Readonly<Record<string, FieldShape>> {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  const shapes = Object.entries(properties as Record<string, FieldShape>);
  return Object.fromEntries(shapes.map(([field, shape]) => [field, unlessNull(shape)]));
}

/** Of a field that may be null, the shape of its one other kind: no option gives null. */
function unlessNull(shape: FieldShape): FieldShape {
  const { anyOf = [] } = shape;
  const [own = shape, ...others] = anyOf.filter(({ type }) => type !== 'null');
  return anyOf.length > 1 && others.length === 0 ? own : shape;
}

function refused(option: string, taken: string, text: string): VarveError {
  return new VarveError('INVALID_INPUT', `${option} takes ${taken}, not "${text}".`);
}

/** Opens the library and calls an operation. @throws VarveError as these do */
export async function answerTo<In extends z.ZodType, Out extends z.ZodType>(
  config: Config,
  { name }: Operation<OperationKind, In, Out>,
  input: z.input<In>,
  opening: OrderingOptions = {},
): Promise<z.output<Out>> {
  await using ordering = await openLibraryForCommand(config, opening);
  const call = name
    .split('.')
    .reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], ordering.varve);
  // Awaited, since the library is closed at the end of this function.
  return await (call as (input: z.input<In>) => Promise<z.output<Out>>)(input);
}

/**
 * Makes the command of one operation: options are its input, and the answer is printed as JSON, or
 * in the words of `textOf`.
 */
export function commandOf<
  In extends z.ZodType,
  Out extends z.ZodType,
  Options extends TenantOptions,
>(
  operation: Operation<OperationKind, In, Out>,
  textOf: (answer: z.output<Out>, options: Options) => string,
) {
  return async (config: Config, options: Options): Promise<void> => {
    const answer = await answerTo(config, operation, inputFromOptions(operation, options));
    print(answer, options.json === true ? null : textOf(answer, options));
  };
}

/** The same with an argument of the command, which becomes a field of the input. */
export function commandWith<In extends z.ZodType, Out extends z.ZodType>(
  field: keyof z.input<In> & string,
  operation: Operation<OperationKind, In, Out>,
  textOf: (answer: z.output<Out>) => string,
) {
  return (config: Config, given: string, options: TenantOptions): Promise<void> =>
    commandOf(operation, textOf)(config, { ...options, [field]: given });
}
