/** Marks facts of one summary that newer ones, or what was written since, replace. */
import { markOf } from '../../context/outdated-mark.ts';
import { dayOf } from '../../text/day.ts';
import { inFirstPerson } from '../../extraction/statement.ts';
import { once } from '../../once.ts';
import type { OutdatedMarks, ServedText } from '../../refresh/served-summary.ts';
import type { SaidAt } from '../../said-at.ts';
import type { Scope } from '../../scope.ts';
import { withoutSourceDate } from '../../sources/source.ts';
import { saidOf } from '../../text/joined-sentences.ts';
import { outdatedMemories } from './outdated-memories.ts';

/** Speakers of a chat who say `I` of the owner of its scope; a named speaker may be anybody. */
const OWNERS: ReadonlySet<string | null> = new Set([null, 'user', 'human']);

/**
 * Compares the texts of one scope as a search compares its memories.
 * @param termsOf returns terms as a search compares them
 */
export function outdatedMarks(
  scope: Pick<Scope, 'layer' | 'scopeId'>,
  termsOf: (text: string) => readonly string[],
  now: SaidAt,
): OutdatedMarks {
  const { layer } = scope;
  const today = dayOf(now);
  return (told) => {
    const compared = told.flatMap((each, place) => {
      if (!OWNERS.has(each.speaker)) return [];
      const { trust, at } = each;
      const content = comparedText(each, scope);
      const terms = once(() => new Set(termsOf(content)));
      return { id: String(place), layer, trust, content, at, today, terms };
    });
    const { outdated, inPart } = outdatedMemories(compared);
    return new Map(
      [...outdated.keys()].map((id) => {
        const ended = inPart.has(id) ? 'Some' : 'All';
        return [Number(id), markOf({ ended, newerIn: [] })];
      }),
    );
  };
}

/** Returns what the owner of the scope would say: `Dana lives in Lyon` ends with `I moved`. */
export function comparedText(
  { text, speaker }: Pick<ServedText, 'text' | 'speaker'>,
  { layer, scopeId }: Pick<Scope, 'layer' | 'scopeId'>,
): string {
  const said = withoutSourceDate(speaker === null ? text : saidOf(text));
  return layer === 'user' ? inFirstPerson(said, [scopeId]) : said;
}
