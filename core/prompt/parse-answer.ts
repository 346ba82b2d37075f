/** Parses a model's answer for a batch: untrusted text in, separately checked items out. */
import { z } from 'zod';
import { STATEMENT_KINDS } from '../records/extracted-statement.ts';
import { VarveError } from '../errors.ts';
import { Depth, Derivation } from '../records/summary.ts';
import { withoutFormatCharacters } from '../text/hidden-characters.ts';

const FACTS_PER_ITEM_MAX = 200;
const FACT_LENGTH_MAX = 4_000;
/** A choice among the facts of a large scope is never offered more than this. */
const KEPT_PER_ITEM_MAX = 2_000;

/**
 * The most known memories that one fact may end; a model that names more misunderstood the task.
 */
const REPLACED_MAX = 5;

const SourceId = z.string().max(512);

const AnswerFact = z.object({
  text: z
    .string()
    .max(FACT_LENGTH_MAX)
    .transform((text) => withoutFormatCharacters(text).trim())
    .pipe(z.string().min(1)),
  sources: z.array(SourceId).max(64),
  quote: z.string().max(FACT_LENGTH_MAX).nullish(),
  speaker: z.string().max(256).nullish(),
  /** For a number that no source contains but that follows from theirs: it is recomputed. */
  derived: Derivation.nullish(),
  /** The depth that it was written for, if an item asks for several. */
  depth: Depth.nullish().catch(null),
  /** For the task Remember: its kind if it lasts, and the known memories that it ends. */
  kind: z.enum(STATEMENT_KINDS).nullish().catch(null),
  replaces: z.array(SourceId).max(REPLACED_MAX).nullish().catch(null),
});
export type AnswerFact = z.infer<typeof AnswerFact>;

const AnswerItem = z.object({
  item: z.string(),
  facts: z.array(z.unknown()).max(FACTS_PER_ITEM_MAX).nullish(),
  kept: z.array(z.unknown()).max(KEPT_PER_ITEM_MAX).nullish(),
  cut: z.boolean().nullish().catch(null),
});

const Envelope = z.object({ items: z.array(z.unknown()) });

/** The answer that a model should give, as JSON: facts of sources, or ids of facts to keep. */
export interface BatchAnswer {
  readonly items: readonly (
    | { readonly item: string; readonly facts: readonly AnswerFact[] }
    | { readonly item: string; readonly kept: readonly string[] }
  )[];
}

export interface AnsweredItem {
  /** Null if the item has no list of facts, not even an empty one. */
  readonly facts: readonly AnswerFact[] | null;
  /** Ids of the facts to keep, in order; null if the item has no such list. */
  readonly kept: readonly string[] | null;
  /** Entries of either list that are not a fact or an id: they count as failed. */
  readonly malformed: number;
  /** Whether the answer was cut off within the item. */
  readonly isCut: boolean;
}

/**
 * Reads an answer. Items that do not parse are left out and count as missing. If an item appears
 * several times, its parts are joined.
 * @throws VarveError MODEL_OUTPUT_INVALID if the text is not an answer at all
 */
export function parseAnswer(text: string): ReadonlyMap<string, AnsweredItem> {
  const envelope = Envelope.safeParse(parseJson(text));
  if (!envelope.success) {
    throw new VarveError('MODEL_OUTPUT_INVALID', 'The model did not answer with a list of items.', {
      details: { characters: text.length },
    });
  }
  const items = new Map<string, AnsweredItem>();
  for (const candidate of envelope.data.items) {
    const item = AnswerItem.safeParse(candidate);
    if (!item.success) continue;
    const earlier = items.get(item.data.item);
    const answered = answeredItem(item.data);
    items.set(item.data.item, earlier === undefined ? answered : joined(earlier, answered));
  }
  return items;
}

/** As `parseAnswer`, but treats a text that is not an answer as one without items. */
export function answeredItems(text: string): ReadonlyMap<string, AnsweredItem> {
  try {
    return parseAnswer(text);
  } catch (error) {
    if (error instanceof VarveError && error.code === 'MODEL_OUTPUT_INVALID') return new Map();
    throw error;
  }
}

/** Whether a text is the JSON of an answer, whatever its items say. */
export function isAnswer(text: string): boolean {
  try {
    return Envelope.safeParse(parseJson(text)).success;
  } catch {
    return false;
  }
}

function answeredItem({ facts, kept, cut }: z.infer<typeof AnswerItem>): AnsweredItem {
  const read = facts?.flatMap((fact) => AnswerFact.safeParse(fact).data ?? []) ?? null;
  const ids = kept?.flatMap((id) => SourceId.safeParse(id).data ?? []) ?? null;
  const given = (facts?.length ?? 0) + (kept?.length ?? 0);
  const malformed = given - (read?.length ?? 0) - (ids?.length ?? 0);
  return { facts: read, kept: ids, malformed, isCut: cut === true };
}

/** Small models give one item twice: in parts, or the same again. The limits of one item apply. */
function joined(earlier: AnsweredItem, later: AnsweredItem): AnsweredItem {
  return {
    facts: joinedList(earlier.facts, later.facts, {
      nameOf: ({ text, depth }) => `${depth ?? ''} ${text}`,
      most: FACTS_PER_ITEM_MAX,
    }),
    kept: joinedList(earlier.kept, later.kept, { nameOf: (id) => id, most: KEPT_PER_ITEM_MAX }),
    malformed: earlier.malformed + later.malformed,
    isCut: earlier.isCut || later.isCut,
  };
}

function joinedList<T>(
  earlier: readonly T[] | null,
  later: readonly T[] | null,
  { nameOf, most }: { readonly nameOf: (each: T) => string; readonly most: number },
): readonly T[] | null {
  if (earlier === null || later === null) return earlier ?? later;
  const byName = new Map(earlier.map((each) => [nameOf(each), each]));
  for (const each of later) if (!byName.has(nameOf(each))) byName.set(nameOf(each), each);
  return [...byName.values()].slice(0, most);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Omits the cause: its message quotes the answer, causes are logged, and memory text must not
    // be.
    throw new VarveError('MODEL_OUTPUT_INVALID', 'The model did not answer with JSON.', {
      details: { characters: text.length },
    });
  }
}
