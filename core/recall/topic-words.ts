/**
 * Which words of a text name what it is about. A name, a day, a number, or the word that tells of a
 * change stands in texts about anything: "Anna got promoted" ends nothing that was said of Anna's
 * cats, and "the rent went up in December" no birthday in December.
 */
import { DIRECTIONS, monthOf, SPANS, weekdayOf } from '../text/calendar-word.ts';
import { cardinalOf } from '../text/number-word.ts';
import { wordSet } from '../text/stop-words.ts';
import { plainWords } from '../text/words.ts';

/** Verbs of anything, and what else says nothing of a topic, as `isContentWord` lets it pass. */
const ANYTHING = wordSet(`
  get gets got gotten do does did done go goes went going gone come comes came make makes made take
  takes took put let say says said tell told know think want wants need needs start starts starting
  started stop stops stopped time times day days half move moves moved moving change changes changed
  switch switches switched
  bin bist hab habe hast hat haben hatte mach mache macht machen gemacht geh gehe geht gehen komm
  komme kommt kommen nehm nehme nimmt kann muss soll will mal tag tage zeit uhr halb
  vamos voy va van tengo tiene tienen hago hace hacen digo dice puedo puede quiero día días hora
  horas tiempo medio media
`);

/** How a sentence begins that is about a person or thing by name. */
const NAMED =
  /(?:^|[.!?,;:]\s+(?:(?:actually|so|and|but|oh|well|also|und|aber|y|pero)\s+)?)((?:\p{Lu}[\p{L}\p{M}-]+\s+){1,3})(?!\p{L}+\s+(?:ich|wir|yo)(?!\p{L}))\p{Ll}/gu;
/** Somebody whom one calls one's own. */
const KIN = new RegExp(
  String.raw`(?:^|[.!?,;:]\s+)(?:my|our|mein|meine|unsere?|mi|mis|nuestr[oa])\s+` +
    String.raw`(wife|husband|partner|son|daughter|mother|mum|mom|father|dad|brother|sister|boss|` +
    String.raw`frau|mann|sohn|tochter|mutter|vater|bruder|schwester|chefin|chef|mujer|marido|` +
    String.raw`hijo|hija|madre|padre|hermano|hermana|jefe|jefa)\s`,
  'giu',
);

const PREFIX_MIN = 3;
/** What an ending adds to a stem. */
const ENDING_MAX = 4;

/** Words of a text that name no topic, in lower case. */
export function sideWords(text: string): readonly string[] {
  const named = [...text.matchAll(NAMED), ...text.matchAll(KIN)].flatMap(([, words = '']) =>
    plainWords(words),
  );
  return [...named, ...plainWords(text).filter(isSideWord)];
}

function isSideWord(word: string): boolean {
  return (
    /^\p{N}/u.test(word) ||
    ANYTHING.has(word) ||
    monthOf(word) !== undefined ||
    weekdayOf(word) !== undefined ||
    word in DIRECTIONS ||
    word in SPANS ||
    cardinalOf(word) !== undefined
  );
}

/** Whether a term, as the analyzer makes it of a word, is none of the side words of its text. */
export function isTopic(term: string, side: readonly string[]): boolean {
  if (/^\p{Script=Han}$/u.test(term) || /^\p{N}/u.test(term)) return false;
  const start = term.slice(0, Math.max(PREFIX_MIN, term.length - 1));
  return !side.some((word) => word.startsWith(start) && word.length - term.length <= ENDING_MAX);
}
