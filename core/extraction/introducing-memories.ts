/**
 * Finds the memories that introduce whom or what a text names: `My manager is Priya` introduces the
 * Priya of `Priya wants the report by Friday`. Pure: by names only, without a model.
 */
import { isOfCalendar } from '../text/calendar-words.ts';
import { areNamesakes, relationsIn } from '../text/different-people.ts';
import { wordSet } from '../text/word-lists.ts';
import { isContentWord } from '../text/words.ts';
import { isOnePerson, type Known } from './compare-with-known.ts';
import { knownStatement, valueStems } from './statement.ts';

/** Maximum memories that one names, the newest ones. */
const MENTIONS_MAX = 5;
const TITLES = wordSet('dr prof mr mrs ms herr frau sr sra señor señora don doña');
const NAME = /(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{M}-]+/gu;
/** Gives a name to what is the speaker's: `Our project is called Atlas`. */
const NAMING = new RegExp(
  String.raw`^(?:[Mm]y|[Oo]ur|[Mm]ein\p{L}*|[Uu]nser\p{L}*|[Mm]i|[Nn]uestr[oa])\s[^,.;:]{2,40}?\s` +
    String.raw`(?:is (?:called|named)|heißt|se llama)\s(?<name>\p{Lu}[\p{L}\p{M}-]+)`,
  'u',
);
/** The beginning of the topic of what somebody has, `my:manager`, and such that name nobody. */
const OWNED = 'my:';
const NAMELESS = /:(?:address|email|phone|number|birthday|salary)/u;

/**
 * Returns the ids of the memories that introduce what a text names; none if two people have the
 * name.
 * @param known those that hold beside it, the newest first
 * @param owners names of the owner of the scope
 */
export function mentionedIn(
  { text, speaker }: { readonly text: string; readonly speaker: string | null },
  known: readonly Known[],
  owners: readonly string[],
): readonly string[] {
  const names = namesIn(text);
  const isSaid = (name: string): boolean =>
    names.includes(name) || (/\p{Script=Han}/u.test(name) && text.includes(name));
  const found = known.filter(
    (memory) =>
      memory.live &&
      isOnePerson(memory.speaker, speaker, owners) &&
      mayName(memory.content, names) &&
      introducedIn(memory.content).some(isSaid),
  );
  const all = [text, ...found.map(({ content }) => content)];
  const isDoubtful = all.some((one) => all.some((other) => areNamesakes(one, other)));
  return isDoubtful ? [] : found.slice(0, MENTIONS_MAX).map(({ id }) => id);
}

/** A quick check before a text is read; names in Chinese have no capitals. */
function mayName(content: string, names: readonly string[]): boolean {
  return /\p{Script=Han}/u.test(content) || names.some((name) => content.includes(name));
}

function namesIn(text: string): readonly string[] {
  return [...text.matchAll(NAME)]
    .map(([word]) => word)
    .filter((word) => isContentWord(word.toLowerCase()) && !isOfCalendar(word.toLowerCase()));
}

/** Returns the names of those whom a text relates to its speaker, and of what the speaker has. */
function introducedIn(content: string): readonly string[] {
  const related = relationsIn(content);
  const names = namesIn(content).filter((name) => !TITLES.has(name.toLowerCase()));
  const given = NAMING.exec(content)?.groups?.['name'];
  const byRelation = names.filter((name) => name === given || related.has(name.toLowerCase()));
  const read = knownStatement(content, []);
  if (read === null || read.negative || !read.topic.startsWith(OWNED)) return byRelation;
  if (NAMELESS.test(read.topic)) return byRelation;
  const { values, language } = read;
  if (language === 'zh') return values.filter((value) => value.length > 1);
  const isValue = (name: string): boolean => {
    const stems = valueStems(name, language);
    return stems.length > 0 && stems.every((stem) => values.includes(stem));
  };
  // By the first name alone, since people go on with it.
  return [...byRelation, ...names.filter(isValue).slice(0, 1)];
}
