/** Meeting transcripts: one meeting an object, as QMSum (Zhong et al., NAACL 2021) writes them. */
import { z } from 'zod';
import type { Cursor } from './cursor.ts';
import type { TurnItem } from './item.ts';
import { parsed, type Place } from './refusal.ts';
import { turnTexts, turnTime } from './turn-part.ts';

const At = z.union([z.string(), z.number()]).nullish();

const Meeting = z.looseObject({
  meeting_transcripts: z.array(
    z.looseObject({ speaker: z.string().nullish(), content: z.string(), at: At }),
  ),
});

const EXAMPLE = '{"meeting_transcripts":[{"speaker":"Ann","content":"Let us begin."}]}';

const ORDINAL_DIGITS = 3;

/** The turns of one meeting: a session of its own, numbered by its place in the file from 0. */
export function meetingItems(value: unknown, place: Place, cursor: Cursor): readonly TurnItem[] {
  const meeting = parsed(Meeting, value, { place, example: EXAMPLE });
  const ordinal = String(cursor.objects).padStart(ORDINAL_DIGITS, '0');
  const sessionId = `${cursor.session}-meeting-${ordinal}`;
  return meeting.meeting_transcripts.flatMap(({ speaker, content, at }, position) => {
    const time = turnTime(at, place, cursor);
    cursor.turns += 1;
    const id = `${sessionId}-${position + 1}`;
    return turnTexts(content).map((text, part): TurnItem => {
      const own = { id: part === 0 ? id : `${id}~${part + 1}`, speaker: speaker ?? null, text };
      return { kind: 'turn', sessionId, role: 'user', ...own, at: time };
    });
  });
}
