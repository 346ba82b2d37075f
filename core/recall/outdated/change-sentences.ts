/**
 * Finds sentences that say that something has changed, and what known memories they likely end.
 * Such a sentence becomes a memory beside the older ones, so that summaries and searches mark them,
 * as contexts do by its turn.
 */
import { announcedDay, withoutOnset } from '../../extraction/announced-day.ts';
import type { SaidAt } from '../../said-at.ts';
import { endingAcross } from './outdated-memories.ts';
import { mayReplace, readDatedText, tellsOfChange } from './likely-correction.ts';
import { recallTerms } from '../words/recall-terms.ts';
import type { Ending } from '../../extraction/compare-with-known.ts';
import {
  extract,
  extractedOf,
  type Extracted,
  type Message,
} from '../../extraction/extract-statements.ts';
import { correctionsIn } from '../../extraction/correction.ts';
import { isAmong, jokedTurns } from '../../extraction/joked-turns.ts';
import { ownParts } from '../../extraction/own-words.ts';
import { isPassing, isQuestionQuoteOrJoke } from '../../extraction/passing-remarks.ts';
import {
  CHANGE_TOPIC,
  languagesOf,
  ownSentences,
  statementsOf,
  stemsOf,
} from '../../extraction/statement.ts';
import { once } from '../../once.ts';
import type { TextAnalyzer } from '../../ports/text-analyzer.ts';

/** A longer sentence says several things. */
const SENTENCE_UNITS_MAX = 160;
/** Maximum of such sentences of one message. */
const SENTENCES_MAX = 12;

/** Returns the statements of messages, and the sentences that only say that something changed. */
export function extractWithChanges(messages: readonly Message[]): readonly Extracted[] {
  return [...extract(messages), ...changeSentences(messages)];
}

/** Returns what users say has changed where the rules of extraction read no statement. */
function changeSentences(messages: readonly Message[]): readonly Extracted[] {
  const own = ownParts(messages);
  const joked = jokedTurns(messages);
  return messages.flatMap((message, at) => {
    if (message.role !== 'user') return [];
    const jokes = joked.get(at)?.sentences ?? [];
    return ownSentences(own[at] ?? '')
      .filter((each) => isChange(each) && !isAmong(each, jokes))
      .slice(0, SENTENCES_MAX)
      .map((text) => {
        const [language = 'en'] = languagesOf(text);
        const said = { text, quote: text, language, kind: 'Self', topic: CHANGE_TOPIC } as const;
        const values = stemsOf(text, language);
        const statement = {
          ...said,
          single: false,
          negative: true,
          isMentioned: true,
          values,
          ended: [],
        };
        return extractedOf(statement, message, []);
      });
  });
}

function isChange(sentence: string): boolean {
  const languages = languagesOf(sentence);
  const [language = 'en'] = languages;
  return (
    sentence.length <= SENTENCE_UNITS_MAX &&
    !isQuestionQuoteOrJoke(sentence) &&
    !isPassing(sentence, language) &&
    (tellsOfChange(sentence) || withoutOnset(sentence) !== sentence) &&
    statementsOf(sentence).length === 0 &&
    correctionsIn([sentence], languages).length === 0
  );
}

interface Said extends SaidAt {
  readonly content: string;
  readonly today?: number | undefined;
}

/**
 * Returns a function for how much of an older text a newer one ends, for certain or likely.
 * @param isAnnounced whether what the newer one announces counts as if its day had come
 */
export function endingsBy(
  newer: Said,
  analyzer: TextAnalyzer,
  { isAnnounced }: { readonly isAnnounced: boolean },
): (older: Said) => Ending {
  const read = (said: Said) => {
    const terms = once(() => new Set(recallTerms(analyzer, said.content)));
    return readDatedText({ ...said, terms });
  };
  const today = isAnnounced ? announcedDay(newer.content, newer) : null;
  const ender = read({ ...newer, today: today ?? undefined });
  if (!mayReplace(ender)) return () => 'None';
  return (older) => (older.at < newer.at ? endingAcross(read(older), ender) : 'None');
}
