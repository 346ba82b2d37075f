/** Says of a proposal that waits for a person, whatever became of the last dream. */
import type { Library } from '#api/library.ts';
import type { Subject } from '#core/subject.ts';
import type { CommandPlace } from './command-line.ts';
import { waitingText } from './dream-text.ts';

export interface HintedWaiting {
  readonly place: CommandPlace;
  readonly subject: Subject;
  /** A proposal that was told of already; undefined where none was. */
  readonly but: string | undefined;
}

/** At most one line: a later proposal outdates those of its subject that wait. */
export async function waitingHint(
  { list }: Pick<Library['dream'], 'list'>,
  { place, subject, but }: HintedWaiting,
): Promise<readonly string[]> {
  const { tenant } = place;
  const { dreams } = await list({ tenant, subject, state: 'Waiting', limit: 1 });
  return dreams.filter(({ id }) => id !== but).map((dream) => waitingText(dream, place));
}
