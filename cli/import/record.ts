/** What the objects of a JSON input are: lines of a chat, meetings, or memories. */
import type { VarveError } from '#core/errors.ts';
import { chatItems } from './chat.ts';
import type { Cursor } from './cursor.ts';
import type { ImportItem } from './item.ts';
import { meetingItems } from './meeting.ts';
import { memoryItems } from './memory-record.ts';
import { type Place, refusal } from './refusal.ts';

export type Shape = 'chat' | 'meetings' | 'memories';

/** @throws VarveError INVALID_INPUT or CONTENT_TOO_LONG where the object is not of its shape. */
type ItemsOf = (value: unknown, place: Place, cursor: Cursor) => readonly ImportItem[];

export const READERS: Readonly<Record<Shape, ItemsOf>> = {
  chat: chatItems,
  meetings: meetingItems,
  memories: memoryItems,
};

/** Told by the field that only one shape has; null for JSON that is something else. */
export function shapeOf(value: unknown): Shape | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  if ('meeting_transcripts' in value) return 'meetings';
  if ('layer' in value) return 'memories';
  return 'role' in value ? 'chat' : null;
}

export function unknownShape(place: Place): VarveError {
  return refusal(place, {
    problem: 'this JSON is none of the shapes that can be imported',
    expected:
      'Chat: {"role":"user","content":"Hello"}. ' +
      'Meeting: {"meeting_transcripts":[{"speaker":"Ann","content":"Hello"}]}. ' +
      'Memory: {"layer":"user","userId":"ann","content":"Prefers short answers."}.',
  });
}
