/** A claim together with what it cites, read once for all rules. */
import type { AnswerFact } from '../prompt/parse-answer.ts';
import { countedFrom, sourceDate, type Source } from '../sources/source.ts';
import type { Language } from '../text/language.ts';
import { coverOf, type Cover, type SentencePlace } from './word-coverage.ts';
import type { Measures } from './quantities-and-times.ts';
import { parsedSentence, type Sentence } from './parsed-sentence.ts';
import { foldedText, plainText } from './comparable-text.ts';
import type { Speaker } from './speaker.ts';

/** A source that a claim cites, read once. */
export interface Evidence {
  readonly source: Source;
  readonly lined: string;
  readonly folded: string;
  readonly speaker: Speaker;
  readonly places: readonly SentencePlace[];
  /** The measures in the whole text, and in the speaker's name. */
  readonly measures: Measures;
  readonly named: Measures;
}

export interface CitedClaim {
  readonly fact: AnswerFact;
  /** The text of the fact, without its source's day and the speaker in front of it. */
  readonly said: string;
  readonly claim: Sentence;
  readonly cited: readonly Evidence[];
  readonly language: Language;
  /** The speaker in front of the text, as in `Ann: I pay`. */
  readonly prefix: string | null;
  /** The sentences of the quote; empty if no source contains it. */
  readonly quoted: readonly SentencePlace[];
  readonly cover: Cover;
}

interface CitedParts {
  readonly cited: readonly Evidence[];
  readonly language: Language;
  readonly isSpeaker: (name: string) => boolean;
}

export function citedClaimOf(
  fact: AnswerFact,
  { cited, language, isSpeaker }: CitedParts,
): CitedClaim {
  const dated = cited.reduce((rest, { source }) => withoutDayOf(source, rest), fact.text);
  const { prefix, said } = withoutPrefix(dated, isSpeaker);
  const claim = parsedSentence(said.trim(), 0, language);
  const quoted = quotedPlaces(fact.quote ?? '', cited);
  const places = cited.flatMap((each) => each.places);
  const cover = coverOf(claim, places, { preferred: new Set(quoted), language });
  return { fact, said, claim, cited, language, prefix, quoted, cover };
}

function withoutDayOf(source: Evidence['source'], text: string): string {
  return text.replace(countedFrom(source), '').replace(sourceDate(source), '');
}

/** The name in front of a text, which `speakerLabel` may have put in quotes. */
const PREFIX = /^(?:“(?<quoted>[^“”\n]{1,256})”|(?<plain>[^:：\n]{1,256}))[:：]/u;

function withoutPrefix(
  text: string,
  isSpeaker: (name: string) => boolean,
): Pick<CitedClaim, 'prefix' | 'said'> {
  const [before = '', quoted, plain] = PREFIX.exec(text) ?? [];
  const name = quoted ?? plain;
  return name !== undefined && isSpeaker(plainText(name).toLowerCase().trim())
    ? { prefix: name, said: text.slice(before.length) }
    : { prefix: null, said: text };
}

/** Maximum consecutive sentences of one source that a quote may span. */
const QUOTED_SENTENCES_MAX = 4;

/** Returns the fewest consecutive sentences that contain a quote. */
function quotedPlaces(quote: string, cited: readonly Evidence[]): readonly SentencePlace[] {
  const folded = foldedText(quote);
  if (folded === '') return [];
  const holds = (run: readonly SentencePlace[]): boolean =>
    foldedText(run.map(({ sentence }) => sentence.raw).join(' ')).includes(folded);
  for (let count = 1; count <= QUOTED_SENTENCES_MAX; count += 1) {
    for (const { places } of cited) {
      const runs = places.map((_, from) => places.slice(from, from + count));
      const found = runs.find((run) => run.length === count && holds(run));
      if (found !== undefined) return found;
    }
  }
  return [];
}
