/** Translates a model's answer with labels into an answer with item and source ids. */
import { isRecord } from '#core/is-record.ts';
import { STATEMENT_KINDS } from '../records/extracted-statement.ts';
import type { BatchItem, ModelBatch } from '../ports/model.ts';
import { DEPTHS } from '../records/summary.ts';
import { ownTexts, answerableTokens } from './texts-of-each-depth.ts';
import { labeledItems, type LabeledItem } from './summary-prompt.ts';
import { asksForFacts, asksForLabels, tasksOf } from './summary-system-prompt.ts';

/** Tokens of an answer per token of facts: the text, its quote, and the JSON around them. */
const ANSWER_TOKENS_PER_FACT_TOKEN = 3;
/** Added if a fact names its depth, which costs the same for any length. */
const DEPTH_TOKENS_PER_FACT_TOKEN = 0.25;
/** A label with its quotes and comma; long numbers take three tokens of their own. */
const LABEL_TOKENS = 8;
/** The JSON around the facts of one item, and a sentence of a model that comments on it. */
const ITEM_TOKENS = 64;

/** Returns more tokens than an answer of the requested size needs; a longer answer is off track. */
export function answerTokensMax({ items }: ModelBatch): number {
  return items.reduce((sum, item) => sum + itemTokens(item), 0);
}

function itemTokens(item: BatchItem): number {
  const { task, sources } = item;
  if (asksForLabels(new Set([task]))) return ITEM_TOKENS + sources.length * LABEL_TOKENS;
  const named = ownTexts(item).length > 0 ? DEPTH_TOKENS_PER_FACT_TOKEN : 0;
  return ITEM_TOKENS + Math.ceil(answerableTokens(item) * (ANSWER_TOKENS_PER_FACT_TOKEN + named));
}

/** Returns the JSON schema of an answer, in the subset that every strict server supports. */
export function answerSchema({ items }: ModelBatch): Readonly<Record<string, unknown>> {
  const tasks = tasksOf(items);
  const text = { type: 'string' };
  const labels = { type: 'array', items: text };
  const orNull = { type: ['string', 'null'] };
  const kind = { type: ['string', 'null'], enum: [...STATEMENT_KINDS, null] };
  const more = tasks.has('Remember') ? { kind, replaces: labels } : {};
  const fact = { ...depthOf(items), text, sources: labels, quote: text, speaker: orNull, ...more };
  return closed({
    items: {
      type: 'array',
      items: closed({
        item: { type: 'string', enum: items.map((_, index) => `i${String(index + 1)}`) },
        ...(asksForFacts(tasks) ? { facts: { type: 'array', items: closed(fact) } } : {}),
        ...(asksForLabels(tasks) ? { kept: labels } : {}),
      }),
    },
  });
}

/**
 * Precedes the text of a fact, so that the model writes it for its depth; null if an item has none.
 */
function depthOf(items: ModelBatch['items']): Readonly<Record<string, unknown>> {
  const asked = items.filter(({ task }) => asksForFacts(new Set([task])));
  const own = asked.map((item) => ownTexts(item).map(({ depth }) => depth));
  const named = DEPTHS.filter((depth) => own.some((depths) => depths.includes(depth)));
  if (named.length === 0) return {};
  if (own.every((depths) => depths.length > 0)) return { depth: { type: 'string', enum: named } };
  return { depth: { type: ['string', 'null'], enum: [...named, null] } };
}

/** Strict servers require every property to be required, and no others. */
function closed(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

/**
 * Returns the JSON text of a `BatchAnswer` from a model's entries. Labels become ids. A label of
 * another item, or an unknown one, becomes an id that no source has, so that grounding drops and
 * counts what cites it. Malformed values are passed on unchanged, for the same reason.
 */
export function batchAnswerText(batch: ModelBatch, entries: readonly unknown[]): string {
  const items = labeledItems(batch);
  return JSON.stringify({ items: entries.map((entry) => answerItem(entry, items)) });
}

function answerItem(entry: unknown, items: readonly LabeledItem[]): unknown {
  if (!isRecord(entry)) return entry;
  const labeled = itemOf(entry['item'], items);
  if (labeled === undefined) return entry;
  const { item, sources } = labeled;
  const ids = new Map(sources.map(({ label, source }) => [label, source.id]));
  const named = entry['cut'] === true ? { item: item.item, cut: true } : { item: item.item };
  if (asksForLabels(new Set([item.task]))) return { ...named, kept: idsOf(entry['kept'], ids) };
  const { facts } = entry;
  if (!Array.isArray(facts)) return { ...named, facts };
  const texts = new Set<unknown>(ownTexts(item).map(({ depth }) => depth));
  return { ...named, facts: facts.map((fact: unknown) => factOf(fact, ids, texts)) };
}

/** Small models omit the label of a single item, or write `1` or `Item 1`. */
function itemOf(label: unknown, items: readonly LabeledItem[]): LabeledItem | undefined {
  if (label === undefined && items.length === 1) return items[0];
  const [, digits] = /^(?:item )?i?(\d{1,9})$/iu.exec(written(label)) ?? [];
  return digits === undefined ? undefined : items[Number(digits) - 1];
}

/** A depth that its item does not ask for is ignored. */
function factOf(
  fact: unknown,
  ids: ReadonlyMap<string, string>,
  texts: ReadonlySet<unknown>,
): unknown {
  if (!isRecord(fact)) return fact;
  const { derived, replaces, depth, ...rest } = fact;
  return {
    ...rest,
    ...(texts.has(depth) ? { depth } : {}),
    sources: idsOf(fact['sources'], ids),
    ...(replaces === undefined ? {} : { replaces: idsOf(replaces, ids) }),
    ...(isRecord(derived) ? { derived: { ...derived, ids: idsOf(derived['ids'], ids) } } : {}),
  };
}

/** A single label instead of a list counts as a list of one. */
function idsOf(labels: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (typeof labels === 'string') return [idOf(labels, ids)];
  return Array.isArray(labels) ? labels.map((label: unknown) => idOf(label, ids)) : labels;
}

/** Long enough for any label; a model may write something much longer instead. */
const UNKNOWN_LENGTH_MAX = 64;

function idOf(label: unknown, ids: ReadonlyMap<string, string>): string {
  const [, digits] = /^\[?s?(\d{1,9})\]?$/iu.exec(written(label)) ?? [];
  const known = digits === undefined ? undefined : ids.get(`s${String(Number(digits))}`);
  return known ?? `unknown source: ${written(label).slice(0, UNKNOWN_LENGTH_MAX)}`;
}

function written(label: unknown): string {
  if (typeof label === 'string') return label.trim();
  return typeof label === 'number' ? String(label) : '';
}
