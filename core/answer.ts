/** A model's answer for a batch: untrusted text in, items judged one by one out. */
import { z } from 'zod';
import { VarveError } from './errors.ts';

const FACTS_PER_ITEM_MAX = 200;
const FACT_LENGTH_MAX = 4_000;

const AnswerFact = z.object({
  text: z.string().min(1).max(FACT_LENGTH_MAX),
  sources: z.array(z.string().max(512)).max(64),
  quote: z.string().max(FACT_LENGTH_MAX).nullish(),
  speaker: z.string().max(256).nullish(),
});
export type AnswerFact = z.infer<typeof AnswerFact>;

const AnswerItem = z.object({
  item: z.string(),
  facts: z.array(z.unknown()).max(FACTS_PER_ITEM_MAX),
});

const Envelope = z.object({ items: z.array(z.unknown()) });

/** What a model is asked to answer with, as JSON. */
export interface BatchAnswer {
  readonly items: readonly {
    readonly item: string;
    readonly facts: readonly AnswerFact[];
  }[];
}

/**
 * Reads an answer. Items that do not parse are left out and count as missing; so do facts.
 * @throws VarveError MODEL_OUTPUT_INVALID where the text is no answer at all.
 */
export function parseAnswer(text: string): ReadonlyMap<string, readonly AnswerFact[]> {
  const envelope = Envelope.safeParse(parseJson(text));
  if (!envelope.success) {
    throw new VarveError('MODEL_OUTPUT_INVALID', 'The model did not answer with a list of items.', {
      details: { characters: text.length },
    });
  }
  const items = new Map<string, readonly AnswerFact[]>();
  for (const candidate of envelope.data.items) {
    const item = AnswerItem.safeParse(candidate);
    if (!item.success) continue;
    const facts = item.data.facts.flatMap((fact) => AnswerFact.safeParse(fact).data ?? []);
    items.set(item.data.item, facts);
  }
  return items;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Without its cause, whose message quotes the text: causes are logged, and it is memory text.
    throw new VarveError('MODEL_OUTPUT_INVALID', 'The model did not answer with JSON.', {
      details: { characters: text.length },
    });
  }
}
