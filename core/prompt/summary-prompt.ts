/**
 * The prompt of one model call: the task, and the sources of each item as data.
 *
 * Inside an item's block, every line of structure begins with `<` and the item's marker; every
 * other line is data. A marker is a digest that the author of a memory cannot know. If a text
 * contains the marker anyway, it is removed, so that no text can end its block or begin another.
 *
 *     Today is 2026-11-24.
 *
 *     Item i1: Extract, team layer, at most 250 tokens. Depths: sentence 50, paragraph 200.
 *     <MARKER sources of i1>
 *     <MARKER s1 (2026-11-03) "ann">
 *     what ann said
 *     <MARKER end of i1>
 */
import type { Layer } from '../layer.ts';
import type { BatchItem, ModelBatch } from '../ports/model.ts';
import {
  type AsData,
  markerOf,
  originOf,
  type PromptCall,
  todayLine,
  withoutMarkers,
} from './prompt-marker.ts';
import { factTokensMax, ownTexts } from './texts-of-each-depth.ts';
import { asksForFacts, summarySystemPrompt } from './summary-system-prompt.ts';
import type { Source } from '../sources/source.ts';

// Short labels that a model sees: `i1`, `i2` for items, `s1`, `s2` for sources.

export interface LabeledItem {
  readonly label: string;
  readonly item: BatchItem;
  readonly sources: readonly { readonly label: string; readonly source: Source }[];
}

/**
 * Numbers sources over the whole batch. Each number is unique, so an item that cites another item's
 * source is detected instead of citing one of its own by chance.
 */
export function labeledItems({ items }: ModelBatch): readonly LabeledItem[] {
  let numbered = 0;
  return items.map((item, index) => ({
    label: `i${String(index + 1)}`,
    item,
    sources: item.sources.map((source) => {
      numbered += 1;
      return { label: `s${String(numbered)}`, source };
    }),
  }));
}

/**
 * Raise this when the request for a list of facts is worded differently: segments are then made
 * again.
 */
const PROMPT_REVISION = 3;
/** The revision of every model that gets this prompt. */
export const PROMPTED_REVISION = `prompt-${String(PROMPT_REVISION)}`;

export interface Prompt {
  /** The tasks and their rules; the same for every batch with the same tasks. */
  readonly system: string;
  /** The items with their sources. */
  readonly user: string;
}

/** Pure: the same batch and attempt give the same bytes, and every attempt gives as many. */
export function promptOf(batch: ModelBatch, call: PromptCall): Prompt {
  const items = labeledItems(batch);
  const markers = items.map(({ item }) => markerOf(item.item, call));
  const asData = withoutMarkers(markers);
  const blocks = items.map((item, at) => blockOf(item, markers[at] ?? '', asData));
  return { system: summarySystemPrompt(batch), user: [todayLine(call), ...blocks].join('\n\n') };
}

function blockOf({ label, item, sources }: LabeledItem, marker: string, asData: AsData): string {
  const { task, layer, audience } = item;
  const limit = `at most ${String(factTokensMax(item))} tokens`;
  const wanted = task === 'Verify' ? task : `${task}, ${layer} layer, ${limit}`;
  const speaks = asksForFacts(new Set([task])) ? speaksIn(layer) : '';
  const reader = audience === null ? [] : [`<${marker} reader of ${label}>`, asData(audience)];
  return [
    `Item ${label}: ${wanted}.${depthsOf(item)}${speaks}${againOf(item)}`,
    ...reader,
    `<${marker} sources of ${label}>`,
    ...sources.flatMap(({ label: name, source }) => [
      `<${marker} ${[name, ...originOf(source, asData)].join(' ')}>`,
      asData(source.text),
    ]),
    `<${marker} end of ${label}>`,
  ].join('\n');
}

function depthsOf(item: LabeledItem['item']): string {
  const own = ownTexts(item).map(({ depth, tokensMax }) => `${depth} ${String(tokensMax)}`);
  return own.length === 0 ? '' : ` Depths: ${own.join(', ')}.`;
}

/** A model never sees the id of a person or an agent, only what they are. */
const OWNERS: Partial<Record<Layer, string>> = { user: 'the user', agent: 'the assistant' };

function speaksIn(layer: Layer): string {
  const owner = OWNERS[layer];
  return owner === undefined ? '' : ` Without a name speaks ${owner}.`;
}

function againOf({ again }: LabeledItem['item']): string {
  return again === undefined ? '' : ' Facts of the last answer were too long: say each shorter.';
}
