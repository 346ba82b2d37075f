/** Fields shared by the inputs of several operations. */
import { z } from 'zod';
import { Identifiers } from '#core/identifiers.ts';
import { LAYERS, type Layer } from '#core/layer.ts';
import { CONTENT_LENGTH_MAX, TAGS_MAX } from '#core/records/memory.ts';
import { TenantId } from '#core/scope.ts';
import { Subject } from '#core/subject.ts';
import { isStorable, NOT_STORABLE } from '#core/storable-text.ts';
import { isObject, metadataProblem, type Metadata } from '../metadata-limits.ts';

const TAG_LENGTH_MAX = 128;
const QUERY_LENGTH_MAX = 8_192;
/** The last millisecond of the year 9999, beyond which ISO 8601 needs more than four digits. */
const AT_MAX = 253_402_300_799_999;

/** A layer in JSON Schema. */
const LAYER_NAMES = { type: 'string', enum: [...LAYERS] };

export const Text = z.string().refine(isStorable, { error: NOT_STORABLE });

export const Tenant = TenantId.describe('Whose data it is: 1 to 63 characters of a-z, 0-9 and -.');

/**
 * The type allows one of the seven layers. At run time any text passes, so that `scopeOf` rejects
 * an unknown layer with INVALID_LAYER.
 */
export const AskedLayer = z
  .custom<Layer>((layer) => typeof layer === 'string', {
    error: `expected a layer: ${LAYERS.join(', ')}`,
  })
  .meta({ ...LAYER_NAMES, description: 'One of the seven layers.' });

export const AskedIdentifiers = Identifiers.default({}).describe(
  'Whom and what the call is about. Each opens its layer; team, org and company also follow from ' +
    'the project, as the hierarchy of the tenant says.',
);

/** Length is checked separately, so that its error carries the maximum (MEM-25). */
export const Content = Text.refine((text) => text.trim() !== '', { error: 'expected some text' });

export const MemoryId = Text.min(1).max(128).describe('Of the memory.');

export const Query = Text.min(1).max(QUERY_LENGTH_MAX);

export const Tags = z.array(Text.min(1).max(TAG_LENGTH_MAX)).max(TAGS_MAX);

export const MetadataFields = z
  .custom<Metadata>(isObject, { error: 'expected an object' })
  .superRefine((fields, context) => {
    const problem = metadataProblem(fields);
    if (problem === null) return;
    context.addIssue({ code: 'custom', path: [...problem.path], message: problem.expected });
  })
  .meta({ type: 'object', additionalProperties: true });

export const IdempotencyKey = Text.min(1)
  .max(256)
  .optional()
  .describe('The same key and body give the first answer, for 7 days.');

export const IncludeVector = z
  .boolean()
  .default(false)
  .describe('Whether the answer shows the vector too.');

const Millis = z.int().min(0).max(AT_MAX);
/** Milliseconds since the epoch, or an ISO 8601 date and time with its offset. */
export const At = z.union(
  [Millis, z.iso.datetime({ offset: true }).transform(Date.parse).pipe(Millis)],
  'expected an ISO 8601 date and time with its offset, such as 2026-11-21T14:30:00+01:00, or ' +
    'milliseconds since the epoch',
);

/** The subject of the Markdown memory. */
export const AskedSubject = Subject.refine(({ id }) => Text.safeParse(id).success, {
  path: ['id'],
  error: 'expected whole Unicode characters without NUL',
}).describe('Whose Markdown memory it is: an agent or a user.');

/** The content of one message; a message without words says nothing. */
export const MessageContent = Text.max(CONTENT_LENGTH_MAX);

/** A time in an answer. */
export const Time = z.number().describe('Milliseconds since the epoch.');

/** An immutable list in an answer. */
export function listOf<T extends z.ZodType>(item: T) {
  return z.array(item) as unknown as z.ZodType<readonly z.output<T>[], readonly z.input<T>[]>;
}
