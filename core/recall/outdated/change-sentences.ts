/**
 * Finds sentences that say that something has changed, and what known memories they likely end.
 * Such a sentence is stored as a memory beside the older ones, so that summaries and searches can
 * mark those as outdated. Contexts do the same by the turn itself.
 */
import { announcedDay, withoutOnset } from '../../extraction/announced-day.ts';
import type { SaidAt } from '../../said-at.ts';
import { endingAcross } from './outdated-memories.ts';
import { mayReplace, readDatedText, tellsOfChange } from './likely-correction.ts';
import { passageSigns } from '../question/answer-types.ts';
import { recallTerms } from '../words/recall-terms.ts';
import type { Ending } from '../../extraction/compare-with-known.ts';
import {
  extract,
  extractedOf,
  type Extracted,
  type Message,
} from '../../extraction/extract-statements.ts';
import { correctionsIn } from '../../extraction/correction.ts';
import { beforeQuestion } from '../../extraction/plain-statements.ts';
import { isAmong, jokedTurns } from '../../extraction/joked-turns.ts';
import { ownParts } from '../../extraction/own-words.ts';
import { retractionIn } from '../../extraction/retraction.ts';
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
import { languageOf } from '../../text/language.ts';
import { anyOf, anyWord } from '../../text/pattern.ts';
import { isAnyKin } from '../../text/people-words.ts';
import { plainWords } from '../../text/words.ts';
import { mayNameTopic } from '../words/topic-words.ts';

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
      .filter((each) => !isAmong(each, jokes))
      .flatMap((each) => beforeQuestion(each, languageOf(each)))
      .filter(isChange)
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

/** Says what became of something, in words that elsewhere only tell of the day. */
const BECAME = anyOf(
  anyWord(`
    doubled, tripled, halved, upped, trimmed, cut, raised, lowered, extended, renewed, reduced,
    increased, dropped, quit, resigned, retired, separated, split up, broke up, gave up, picked up,
    adopted, sold, joined, hired, fired, replaced, promoted, swapped, traded, closed, slipped,
    delayed, postponed, outgrew, turned \\d+, moving (?:out|to|in), going to be,
    verdoppelt, halbiert, gekürzt, erhöht, gesenkt, verlängert, gekündigt, aufgehört, verschrieben,
    abgegeben, gewechselt, übernommen, ersetzt, befördert, geworden, umgestiegen, weg,
    (?:\\p{Ll}+ )*vergessen, se salió, salió, renunci\\p{L}+, renov\\p{L}+, cumpl(?:ió|í|e),
    (?:he|ha|han|hemos|nos|me) sub\\p{L}+, se (?:ha |han )?(?:mudado|mudó|fue|ido|jubil\\p{L}+),
    aprob\\p{L}+, aplaz\\p{L}+, retras\\p{L}+, ascend\\p{L}+, contrat\\p{L}+, despid\\p{L}+,
    dañó, compré, vendí
  `),
  '放弃|升职|调走|辞职|离职|退休|取消|改到|改成|改去|涨到|降到|跳槽|不去了|送给|换成|搬到|卖了',
);

/**
 * Whether a sentence that tells of a change names something that one of the known texts is about,
 * and says something new of it: another value, or what became of it.
 */
export function isOfKnown(
  sentence: string,
  known: readonly string[],
  analyzer: TextAnalyzer,
): boolean {
  if (!saysNews(sentence)) return false;
  const topics = recallTerms(analyzer, sentence).filter(mayNameTopic);
  if (topics.length === 0) return false;
  // `My sister sold her Honda` says nothing new of the speaker's Honda.
  const who = OF_RELATIVE.exec(sentence)?.groups?.['who']?.toLowerCase() ?? '';
  const of = isAnyKin(who) ? known.filter((text) => plainWords(text).includes(who)) : known;
  const texts = of.map((text) => new Set(recallTerms(analyzer, text)));
  return topics.some((term) => {
    const count = texts.filter((terms) => terms.has(term)).length;
    return count > 0 && count <= TEXTS_OF_TOPIC_MAX;
  });
}

const OF_RELATIVE = /^(?:my|our|meine?|unsere?|mis?|nuestr[oa]s?)\s(?<who>\p{L}+)\s/iu;

/** A word of more known texts tells of no single thing. */
const TEXTS_OF_TOPIC_MAX = 6;

/** Says that nothing has changed. */
const STAYS = anyOf(
  anyWord('still, same as before, immer noch, weiterhin, bleib\\p{L}*, sigo, seguimos, todavía'),
  '还是|仍|照旧',
);

function saysNews(sentence: string): boolean {
  if (STAYS.test(sentence) || retractionIn(sentence) !== null) return false;
  const { hasNames, isNumber, isDate } = passageSigns(sentence);
  return hasNames || isNumber || isDate || BECAME.test(sentence);
}

function isChange(sentence: string): boolean {
  const languages = languagesOf(sentence);
  const [language = 'en'] = languages;
  return (
    sentence.length <= SENTENCE_UNITS_MAX &&
    !isQuestionQuoteOrJoke(sentence) &&
    !isPassing(sentence, language) &&
    (tellsOfChange(sentence) || BECAME.test(sentence) || withoutOnset(sentence) !== sentence) &&
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
