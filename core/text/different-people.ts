/**
 * Compares the people that two texts name: a meeting `with Lea` is not the one `with Tom`, and `my
 * cousin Ana` is not `my sister Ana`.
 */
import { isOfCalendar } from './calendar-words.ts';
import { memoized } from './memoized.ts';
import { oneOf } from './pattern.ts';
import { isAnyKin } from './people-words.ts';
import { byWord } from './word-lists.ts';

/** Prepositions before a person or a group, each with those that mean the same. */
const BEFORE_NAME = ['with, mit, con', 'for, für, para', 'of, von, de, del'].map(
  (words) =>
    new RegExp(
      String.raw`(?<!\p{L})${oneOf(words)}\s(?:(?:the|de[mrn]|el|la|my|mein\p{L}*|mi)\s)?` +
        String.raw`(?<name>\p{Lu}[\p{L}\p{M}'’-]+)`,
      'gu',
    ),
);

/** `My sister Ana`, `Meine ältere Schwester Ana`, `mi hermana Ana`. */
const RELATED = new RegExp(
  String.raw`(?<!\p{L})(?:[Mm]y|[Oo]ur|[Mm]ein\p{L}*|[Uu]nser\p{L}*|[Mm]i|[Nn]uestr[oa])\s` +
    String.raw`(?:\p{Ll}+\s)?(?<relation>\p{L}+),?\s(?<name>\p{Lu}[\p{L}\p{M}-]+)`,
  'gu',
);

/** Words for a relation, by the one that stands for them all. */
const RELATIONS = byWord({
  wife: `
    husband, spouse, partner, girlfriend, boyfriend, frau, ehefrau, mann, ehemann, partnerin,
    freundin, freund, mujer, esposa, marido, esposo, pareja, novia, novio
  `,
  mother: 'mom, mum, mutter, mama, madre, mamá',
  father: 'dad, vater, papa, padre, papá',
  grandmother: 'grandma, oma, großmutter, abuela',
  grandfather: 'grandpa, opa, großvater, abuelo',
  boss: 'manager, chef, chefin, jefe, jefa',
  colleague: 'coworker, kollege, kollegin, colega, compañero, compañera',
  roommate: 'flatmate, mitbewohner, mitbewohnerin',
  neighbor: 'neighbour, nachbar, nachbarin, vecino, vecina',
});

/** Whether two texts name different people at the same place, or one name with two relations. */
export function nameDifferentPeople(one: string, other: string): boolean {
  if (areNamesakes(one, other)) return true;
  const all = namesIn(other);
  return namesIn(one).some((mine, place) => {
    const theirs = all[place] ?? new Set();
    return mine.size > 0 && theirs.size > 0 && mine.isDisjointFrom(theirs);
  });
}

/** Whether two texts give people of one name different relations to the speaker. */
export function areNamesakes(one: string, other: string): boolean {
  const theirs = relationsIn(other);
  return [...relationsIn(one)].some(([name, mine]) => {
    const relation = theirs.get(name);
    return relation !== undefined && relation !== mine;
  });
}

/** Returns the relations that a text gives people to the speaker, by their names. */
export const relationsIn = memoized(
  (text): ReadonlyMap<string, string> =>
    new Map(
      [...text.matchAll(RELATED)].flatMap(({ groups }) => {
        const relation = groups?.['relation']?.toLowerCase() ?? '';
        const name = groups?.['name']?.toLowerCase() ?? '';
        return isAnyKin(relation) ? [[name, RELATIONS.get(relation) ?? relation] as const] : [];
      }),
    ),
  { entriesMax: 1_024, unitsMax: 1_024 },
);

/** The names after each group of prepositions; pairs of the same texts are compared. */
const namesIn = memoized(
  (text): readonly ReadonlySet<string>[] => BEFORE_NAME.map((pattern) => namesAfter(pattern, text)),
  { entriesMax: 1_024, unitsMax: 1_024 },
);

function namesAfter(pattern: RegExp, text: string): ReadonlySet<string> {
  const names = [...text.matchAll(pattern)].map(({ groups }) => groups?.['name'] ?? '');
  const words = names.map((name) => name.replace(/['’]s$/u, '').toLowerCase());
  return new Set(words.filter((word) => !isOfCalendar(word)));
}
