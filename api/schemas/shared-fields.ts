/** Fields shared by the inputs of several operations. */
import { z } from 'zod';
import { Identifiers } from '#core/identifiers.ts';
import { LAYERS, type Layer } from '#core/layer.ts';
import { TAGS_MAX } from '#core/records/memory.ts';
import { REASON_LENGTH_MAX } from '#core/records/review.ts';
import { TenantId } from '#core/scope.ts';
import { Subject } from '#core/subject.ts';
import { isStorable, NOT_STORABLE, storableText } from '#core/storable-text.ts';
import { MILLISECONDS_MIN, type SaidAt, saidAtOf } from '#core/said-at.ts';
import { isPlainObject, metadataProblem, type Metadata } from '#core/sources/metadata-limits.ts';

const TAG_LENGTH_MAX = 128;
const QUERY_LENGTH_MAX = 8_192;
/** The last millisecond of the year 9999, beyond which ISO 8601 needs more than four digits. */
const AT_MAX = 253_402_300_799_999;

/** A layer in JSON Schema. */
const LAYER_NAMES = { type: 'string', enum: [...LAYERS] };

const HAS_SIGN = /[^\s\p{Cc}\p{Cf}]/u;
const NO_SIGN = 'expected at least one visible character';

export const Text = z.string().refine(isStorable, { error: NOT_STORABLE });

/** A name of an owner or of a record. It must be visible: nobody can tell blank names apart. */
export const Name = Text.refine((name) => HAS_SIGN.test(name), { error: NO_SIGN });

const SPEAKER_LENGTH_MAX = 256;

/** Who said something. A name without any visible character is none, as if it were left out. */
export const Speaker = Text.max(SPEAKER_LENGTH_MAX)
  .transform((name) => (HAS_SIGN.test(name) ? name : undefined))
  .optional();

/** What JavaScript writes for a missing id. As an id, everybody would share it. */
const NO_ID = /^(?:undefined|null|NaN|\[object \w+\])$/u;
const isId = (id: string) => !NO_ID.test(id);
const NOT_AN_ID = 'expected an id, found undefined, null or an object that was turned into text';

export const Tenant = TenantId.refine(isId, { error: NOT_AN_ID }).describe(
  'The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -.',
);

export const SessionId = Name.min(1).max(256).refine(isId, { error: NOT_AN_ID });

/**
 * The type allows one of the seven layers. At run time any text passes, so that `scopeOf` rejects
 * an unknown layer with INVALID_LAYER.
 */
export const AskedLayer = z
  .custom<Layer>((layer) => typeof layer === 'string', {
    error: `expected a layer: ${LAYERS.join(', ')}`,
  })
  .meta({ ...LAYER_NAMES, description: 'One of the seven layers.' });

const UNDEFINED_ID =
  'is undefined; give the id, or leave the field out: the call would be about nobody';

function problemOfId(id: string | undefined): string | null {
  if (id === undefined) return UNDEFINED_ID;
  if (!isId(id)) return NOT_AN_ID;
  return HAS_SIGN.test(id) ? null : NO_SIGN;
}

/** Refuses an undefined field, which would open no layer though the caller means somebody. */
export const GivenIdentifiers = Identifiers.superRefine((identifiers, context) => {
  for (const [name, id] of Object.entries(identifiers)) {
    const message = problemOfId(id);
    if (message !== null) context.addIssue({ code: 'custom', path: [name], message });
  }
});

export const AskedIdentifiers = GivenIdentifiers.default({}).describe(
  'The people and things that the call is about. Each identifier opens its ' +
    'layer; the project also opens its team, org and company, by the hierarchy ' +
    'of the tenant.',
);

const NOTHING_SAID = 'expected some text';

/** Length is checked separately, so that its error carries the maximum (MEM-25). */
export const Content = Text.refine((text) => HAS_SIGN.test(text), { error: NOTHING_SAID });

/** What a person says for a decision; may be empty. */
export const Reason = Text.max(REASON_LENGTH_MAX);
export const GivenReason = Reason.refine((text) => text.trim() !== '', {
  error: 'expected some words',
});

/** The names that principals have in records. */
export const PRINCIPAL_NAMES =
  '`local`, `mcp`, `key:<name>`, `jwt:<sub>` or `account:<namespace>/<name>`';

/** Describes `nextBefore` of a page. */
export const NEXT_BEFORE = '`before` for the next call, if there are older entries.';

export const RecordId = Text.min(1).max(128);
export const MemoryId = RecordId.describe('Id of the memory.');

export const Query = Text.min(1)
  .max(QUERY_LENGTH_MAX)
  .refine((text) => text === '' || HAS_SIGN.test(text), { error: NOTHING_SAID });

export const Tags = z.array(Name.min(1).max(TAG_LENGTH_MAX)).max(TAGS_MAX);

export const MetadataFields = z
  .custom<Metadata>(isPlainObject, { error: 'expected an object' })
  .superRefine((fields, context) => {
    const problem = metadataProblem(fields);
    if (problem === null) return;
    context.addIssue({ code: 'custom', path: [...problem.path], message: problem.expected });
  })
  .meta({ type: 'object', additionalProperties: true });

export const IdempotencyKey = Name.min(1)
  .max(256)
  .optional()
  .describe('For 7 days, the same key and body return the first answer.');

export const IncludeVector = z
  .boolean()
  .default(false)
  .describe('Whether the answer includes the vector.');

const Millis = z.int().min(MILLISECONDS_MIN).max(AT_MAX);
const IsoForm = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);
/** JSON Schema has one format for both forms, since generated clients know a time as one text. */
const IsoTime = z
  .string()
  .refine((iso) => IsoForm.safeParse(iso).success && isInTime(iso))
  .meta({ format: 'date-time' });
function isInTime(iso: string): boolean {
  const at = Date.parse(iso);
  return at >= 0 && at <= AT_MAX;
}

const EXPECTED_TIME =
  'expected a time with its offset, such as 2026-11-21T14:30:00+01:00, a date, such as ' +
  '2026-11-21, or milliseconds since the epoch';

function timeProblem({ input }: { readonly input?: unknown }): string {
  if (typeof input === 'string' && IsoForm.safeParse(input).success) {
    return `${EXPECTED_TIME}, of the years 1970 to 9999`;
  }
  if (typeof input === 'string' && IsoForm.safeParse(`${input}Z`).success) {
    return `${EXPECTED_TIME}; this time has no offset, such as Z`;
  }
  if (input instanceof Date) return `${EXPECTED_TIME}, found a Date; pass its getTime()`;
  if (typeof input !== 'number') return EXPECTED_TIME;
  const seen = `${EXPECTED_TIME}; ${String(input)}`;
  if (Math.abs(input) < MILLISECONDS_MIN) return `${seen} counts seconds: multiply it by 1000`;
  return `${seen} is no time of the years 1973 to 9999`;
}

/** When something was said, with the caller's UTC offset, which determines the speaker's day. */
export const SaidTime = z.union(
  [Millis.transform((at): SaidAt => ({ at })), IsoTime.transform(saidAtOf)],
  { error: timeProblem },
);

/** Milliseconds since the epoch, or ISO 8601: a date, or a date and time with its offset. */
export const At = SaidTime.transform(({ at }) => at);

/**
 * Where a page begins. It may be null, as in the answer with the last page: a loop can pass on what
 * it got.
 */
export function pageStart<T extends z.ZodType>(schema: T) {
  return schema
    .nullable()
    .transform((start) => start ?? undefined)
    .optional();
}

/** A page start that counts from 0; null is the first page, too. */
export const FirstAtZero = z
  .int()
  .min(0)
  .nullable()
  .default(0)
  .transform((start) => start ?? 0);

/** The offset that an answer gives beside a time. */
export const UtcOffset = z
  .number()
  .optional()
  .describe('UTC offset of that time in minutes; absent for UTC.');

/** The subject of the Markdown memory. */
export const AskedSubject = Subject.refine(({ id }) => Text.safeParse(id).success, {
  path: ['id'],
  error: 'expected whole Unicode characters without NUL',
})
  .refine(({ id }) => problemOfId(id) === null, {
    path: ['id'],
    error: `${NO_SIGN}, and no undefined or null that was turned into text`,
  })
  .describe('Owner of the Markdown memory: an agent or a user.');

/** What was said. One character that no store can keep must not refuse a whole conversation. */
export const SaidText = z.string().overwrite(storableText);

/** A time in an answer. */
export const Time = z.int().describe('Milliseconds since the epoch.');

/** An immutable list in an answer. */
export function listOf<T extends z.ZodType>(item: T) {
  return z.array(item) as unknown as z.ZodType<readonly z.output<T>[], readonly z.input<T>[]>;
}
