/** One tool of the MCP server: what a model reads about it, and what it does. */
import { z } from 'zod';
import { entryOf } from '#core/context/past-turns.ts';
import { Identifiers } from '#core/identifiers.ts';
import { isRecord } from '#core/is-record.ts';
import type { Layer } from '#core/layer.ts';
import { Trust } from '#core/trust.ts';
import { isoTime } from '#core/said-at.ts';
import { withoutHiddenCharacters } from '#core/text/hidden-characters.ts';
import { shortenToUnits } from '#core/storable-text.ts';
import { parseInput } from '../parse-input.ts';
import { ShownMemory } from '../schemas/shared-answers.ts';
import {
  boundScope,
  openLayers,
  type Binding,
  type Bound,
  type BoundScope,
} from './server-binding.ts';

/** Hints for clients, as the specification names them. */
interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  /** All tools stay within the store. */
  readonly openWorldHint: false;
}

export const READ_ONLY: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

interface ToolAnswer<Out> {
  /** For a model that reads only text; says everything important. */
  readonly text: string;
  readonly content: Out;
}

interface ToolRow<In extends z.ZodObject, Out extends z.ZodType> {
  readonly name: string;
  readonly title: string;
  /** When to call the tool, and what it returns. */
  readonly description: string;
  readonly hints: ToolHints;
  /** Without the identifiers that a model may name. */
  readonly input: In;
  readonly output: Out;
  run(bound: Bound, input: z.output<In>, scope: BoundScope): Promise<ToolAnswer<z.output<Out>>>;
}

export interface Tool extends Omit<ToolRow<z.ZodObject, z.ZodType>, 'run'> {
  /** Parses the input. @throws VarveError INVALID_INPUT, and what the operation throws */
  call(bound: Bound, input: unknown): Promise<ToolAnswer<Record<string, unknown>>>;
}

export function tool<In extends z.ZodObject, Out extends z.ZodObject>(
  binding: Binding,
  row: ToolRow<In, Out>,
): Tool {
  const input = row.input.extend(identifiersField(binding));
  return {
    ...row,
    input,
    call: async (bound, given) => {
      const asked = parseInput(input, withoutNullOptions(input, given));
      const scope = boundScope(binding, asked['identifiers'] as Identifiers | undefined);
      const { text, content } = await row.run(bound, asked as z.output<In>, scope);
      // Parse by the output schema, so that no field leaves that the tool does not declare.
      return { text: withoutHiddenCharacters(text), content: row.output.parse(content) };
    },
  };
}

/**
 * Leaves out optional fields that are null, which models send for "nothing"; also within objects
 * that the schema knows field by field. Null stays where it is a value, as in metadata.
 */
function withoutNullOptions(schema: z.core.$ZodType, input: unknown): unknown {
  const known = unwrapped(schema);
  if (!(known instanceof z.ZodObject) || !isRecord(input)) return input;
  const shape: z.core.$ZodShape = known.shape;
  const fields = Object.entries(input).flatMap(([name, value]) => {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (field === undefined) return [[name, value] as const];
    const isLeftOut = value === null && mayBeLeftOut(field);
    return isLeftOut ? [] : [[name, withoutNullOptions(field, value)] as const];
  });
  return Object.fromEntries(fields);
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault) inner = inner.unwrap();
  return inner;
}

function mayBeLeftOut(field: z.core.$ZodType): boolean {
  const takes = (value: unknown): boolean => z.safeParse(field, value).success;
  return takes(undefined) && !takes(null);
}

/** Returns the field in which a model names identifiers; no field if it may not. */
function identifiersField(binding: Binding): { identifiers?: z.ZodOptional } {
  if (!binding.isOpen) return {};
  const fixed = Object.keys(binding.identifiers);
  const known = fixed.length === 0 ? '' : ` ${fixed.join(', ')} are fixed and may be left out.`;
  return {
    identifiers: Identifiers.optional().describe(
      `Whom and what the call is about; each opens its layer.${known}`,
    ),
  };
}

export function layerField(binding: Binding): z.ZodType<Layer, Layer> {
  const layers = openLayers(binding);
  return z.enum(layers as [Layer, ...Layer[]]);
}

export const LAYER_MEANING =
  'user: about a person; agent: about yourself; session: this conversation alone; project, team, ' +
  'org, company: shared by all who work there.';

/** In code units; a page of whole documents would fill the context of the model that lists them. */
const CONTENT_UNITS_MAX = 2_000;

/** A memory as a model needs it. */
export const ToolMemory = z.object({
  ...ShownMemory.pick({ id: true, layer: true, scopeId: true, tags: true }).shape,
  content: z
    .string()
    .describe(
      'The text; if it has more than 2,000 characters, its beginning and "…". ' +
        'Call why with the id to read all of it.',
    ),
  metadata: z.record(z.string(), z.unknown()),
  trust: Trust.describe('How far to trust it, from untrusted to verified.'),
  validFrom: z.string().describe('When it began to be true, or will begin to be.'),
});
export type ToolMemory = z.output<typeof ToolMemory>;

export function toolMemory({
  id,
  layer,
  scopeId,
  content,
  tags,
  metadata,
  trust,
  validFrom,
  utcOffset,
}: ShownMemory): ToolMemory {
  const since = isoTime({ at: validFrom, utcOffset });
  const shown = shortenToUnits(content, CONTENT_UNITS_MAX);
  return { id, layer, scopeId, content: shown, tags, metadata, trust, validFrom: since };
}

/** An entry of a list, with the id that other tools take; no line of its text reads as another. */
export function memoryLine(
  { id, layer, content, trust, validFrom }: ToolMemory,
  mark = '',
): string {
  const note = `${mark} [id ${id}, ${layer}, ${trust}, since ${validFrom.slice(0, 10)}]`;
  return entryOf('- ', content, note);
}

export function countText(count: number, one: string, many: string): string {
  return `${String(count)} ${count === 1 ? one : many}`;
}
