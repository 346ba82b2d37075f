/** A chat: one message an object, `{role, content, at?, id?}`, as most exports have it. */
import { z } from 'zod';
import type { Turn } from '#core/records/turn.ts';
import type { Cursor } from './cursor.ts';
import type { TurnItem } from './item.ts';
import { parsed, type Place, refusal } from './refusal.ts';
import { turnTexts, turnTime } from './turn-part.ts';

/** Roles as other programs name them. */
const ROLES: Readonly<Record<string, Turn['role']>> = {
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  ai: 'assistant',
  model: 'assistant',
  system: 'system',
  developer: 'system',
  tool: 'tool',
  function: 'tool',
};

/** One part of a message as OpenAI and Anthropic write it; other parts hold no text. */
const Part = z.looseObject({ type: z.string(), text: z.string().optional() });

/** Loose, because exports carry much else. */
const Message = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(Part), z.null()]),
  at: z.union([z.string(), z.number()]).nullish(),
  timestamp: z.union([z.string(), z.number()]).nullish(),
  id: z.union([z.string(), z.int()]).nullish(),
  speaker: z.string().nullish(),
  name: z.string().nullish(),
});

const EXAMPLE = '{"role":"user","content":"Hello","at":"2026-01-31T09:00:00Z"}';

/** A message's turn; none where it has no text, several where it is longer than a turn may be. */
export function chatItems(value: unknown, place: Place, cursor: Cursor): readonly TurnItem[] {
  const message = parsed(Message, value, { place, example: EXAMPLE });
  const role = Object.hasOwn(ROLES, message.role) ? ROLES[message.role] : undefined;
  if (role === undefined) {
    throw refusal(place, {
      problem: '"role" is none that is known',
      expected: `Use one of ${Object.keys(ROLES).join(', ')}. An example: ${EXAMPLE}.`,
      details: { field: 'role' },
    });
  }
  const at = turnTime(message.at ?? message.timestamp, place, cursor);
  cursor.turns += 1;
  const id = message.id ?? `${cursor.session}-${cursor.turns}`;
  const speaker = message.speaker ?? message.name ?? null;
  const turn = { kind: 'turn', sessionId: cursor.session, role, speaker, at } as const;
  return turnTexts(textOf(message.content)).map((text, part) => {
    return { ...turn, id: part === 0 ? `${id}` : `${id}~${part + 1}`, text };
  });
}

function textOf(content: z.infer<typeof Message>['content']): string {
  if (typeof content === 'string') return content;
  const texts = (content ?? []).flatMap((part) => (part.text === undefined ? [] : [part.text]));
  return texts.join('\n\n');
}
