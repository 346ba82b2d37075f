/** Memories written down one an object, with layer and identifiers. */
import { z } from 'zod';
import { IDENTIFIER_OF, Identifiers } from '#core/identifiers.ts';
import { Layer } from '#core/layer.ts';
import { CONTENT_LENGTH_MAX, TAGS_MAX } from '#core/records/memory.ts';
import type { Cursor } from './cursor.ts';
import type { MemoryItem } from './item.ts';
import { parsed, type Place, refusal } from './refusal.ts';
import { KEY_UNITS_MAX } from './slug.ts';
import { statedTime } from './time.ts';

/** Strict, because this shape is our own and an unknown field is a misspelt one. */
const MemoryRecord = z.strictObject({
  layer: Layer,
  ...Identifiers.shape,
  content: z.string().refine((text) => text.trim() !== '', 'the text is empty'),
  key: z.string().min(1).max(KEY_UNITS_MAX).nullish(),
  tags: z.array(z.string().min(1)).max(TAGS_MAX).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  at: z.union([z.string(), z.number()]).nullish(),
});

const EXAMPLE = '{"layer":"user","userId":"ann","content":"Prefers short answers."}';

/** Layers whose identifier no hierarchy can give (design 6.2). */
const UNDERIVABLE: ReadonlySet<Layer> = new Set(['agent', 'user', 'session', 'project']);

export function memoryItems(value: unknown, place: Place, cursor: Cursor): readonly MemoryItem[] {
  const record = parsed(MemoryRecord, value, { place, example: EXAMPLE });
  const { layer, content, key, tags, metadata, at, ...identifiers } = record;
  refuseTooLong(content, place);
  const needed = IDENTIFIER_OF[layer];
  const given = identifiers[needed] ?? cursor.identifiers[needed];
  if (UNDERIVABLE.has(layer) && given === undefined) {
    throw refusal(place, {
      problem: `a memory of the ${layer} layer needs "${needed}"`,
      expected: `An example: ${EXAMPLE}.`,
      details: { field: needed, layer },
    });
  }
  const item: MemoryItem = {
    kind: 'memory',
    layer,
    identifiers,
    text: content,
    key: key ?? null,
    tags: tags ?? [],
    metadata: { ...metadata, file: cursor.name },
    at: statedTime(at, place),
  };
  return [item];
}

function refuseTooLong(content: string, place: Place): void {
  if (content.length <= CONTENT_LENGTH_MAX) return;
  throw refusal(place, {
    code: 'CONTENT_TOO_LONG',
    problem: `the content has ${content.length} characters, the limit is ${CONTENT_LENGTH_MAX}`,
    expected: 'Split it into several memories, or import it as a Markdown or text file.',
    details: { length: content.length, lengthMax: CONTENT_LENGTH_MAX },
  });
}
