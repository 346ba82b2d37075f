/** The sentences of a source that take the place of a fact which they support only in part. */
import { restsOnBefore } from '../text/dependent.ts';
import type { Place } from './cover.ts';
import type { Case } from './case.ts';

export interface OwnWords {
  readonly text: string;
  /** Verbatim words of the first source. */
  readonly quote: string;
  readonly ids: readonly string[];
  readonly speaker: string | null;
}

/** A fact without a quote that stands in a source shares so much of its words with a sentence. */
const SHARE_MIN = 0.4;
/** How many sentences before its own one may have to be shown, since it rests on them. */
const BEFORE_MAX = 2;
/** Sentences that take the place of one fact. */
const SENTENCES_MAX = 4;

/**
 * The words of a source around the quote of a fact, or around what says most of it where the quote
 * stands nowhere; null where no sentence says enough.
 */
export function ownWords(judged: Case, want: 'Quote' | 'Sentence'): OwnWords | null {
  const { cover, quoted, cited } = judged;
  const found = quoted.length > 0 ? quoted : cover.share >= SHARE_MIN ? tellingPlaces(judged) : [];
  const [first] = found;
  if (first === undefined || (quoted.length === 0 && cover.bySpeaker.size + held(judged) === 0)) {
    return null;
  }
  const chosen = want === 'Quote' ? [first] : inOrder(found, judged).slice(0, SENTENCES_MAX);
  const several = new Set(cited.map(({ source }) => source.speaker)).size > 1;
  const parts = chosen.map((place, at) => {
    const name = cited.find(({ source }) => source.id === place.sourceId)?.source.speaker ?? null;
    const isNew = at === 0 || chosen[at - 1]?.sourceId !== place.sourceId;
    const isNamed = isNew && name !== null && (several || place.sentence.hasFirst);
    return `${isNamed ? `${name}: ` : ''}${place.sentence.raw.trim()}`;
  });
  const [opening] = chosen;
  if (opening === undefined) return null;
  const speaker = cited.find(({ source }) => source.id === opening.sourceId)?.source.speaker;
  return {
    text: parts.join(' '),
    quote: opening.sentence.raw.trim(),
    ids: [...new Set(chosen.map(({ sourceId }) => sourceId))],
    speaker: speaker ?? null,
  };
}

/** A sentence that adds one word to the first says something else. */
const ADDED_MIN = 2;

function tellingPlaces({ cover }: Case): readonly Place[] {
  const seen = new Set(cover.matches[0]?.keys() ?? []);
  return cover.places.filter((_, at) => {
    const added = [...(cover.matches[at]?.keys() ?? [])].filter((word) => !seen.has(word));
    for (const word of added) seen.add(word);
    return at === 0 || added.length >= ADDED_MIN;
  });
}

function held({ cover }: Case): number {
  return cover.matches.reduce((sum, words) => sum + words.size, 0);
}

/** In the order of their sources, with what they rest on before them. */
function inOrder(found: readonly Place[], { cited }: Case): readonly Place[] {
  return cited.flatMap(({ places }) => {
    const wanted = new Set<number>();
    for (const [at, place] of places.entries()) {
      if (!found.includes(place)) continue;
      wanted.add(at);
      for (let before = at; before > Math.max(0, at - BEFORE_MAX); before -= 1) {
        if (!restsOnBefore(places[before]?.sentence.raw ?? '')) break;
        wanted.add(before - 1);
      }
    }
    return places.filter((_, at) => wanted.has(at));
  });
}
