/** No name contains a word that docs/glossary.md replaces. */
import { isCode, type Finding, type SourceFile } from '../source-file.ts';
import { lineAt } from '../syntax.ts';

/** Tests and measurements may tell stories. */
const OTHERS = /^(?:test|bench|examples|docs)\//u;
const ROW = /^\| (?<word>[^|]+?) *\|[^|]*\| (?<not>[^|]+?) *\|$/gmu;
const EXPORT = /^export (?:async )?(?:function\*?|const|class|interface|type|enum) (?<name>\w+)/gmu;

/** By the synonym that is not used, as words in lower case: the word to use. */
export function synonymsOf({ text }: SourceFile): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(ROW)].flatMap(({ groups }) => {
      const { word = '', not = '' } = groups ?? {};
      if (not === 'not' || /^[- ]*$/u.test(not)) return [];
      return not.split(', ').map((synonym) => [synonym, word] as const);
    }),
  );
}

/** Names of files and exports that have a synonym. */
export function wordsOfGlossary(
  file: SourceFile,
  synonyms: ReadonlyMap<string, string>,
): readonly Finding[] {
  return namesOf(file).flatMap(({ name, line }) => {
    const words = ` ${wordsIn(name).join(' ')} `;
    return [...synonyms]
      .filter(([synonym]) => words.includes(` ${synonym} `))
      .map(([synonym, word]) => {
        const problem = `"${name}" says "${synonym}"; the glossary says "${word}"`;
        return { path: file.path, line, problem };
      });
  });
}

/** Of the file and of what it exports, where it is of the product. */
function namesOf(file: SourceFile): readonly { name: string; line: number }[] {
  if (!isCode(file) || OTHERS.test(file.path)) return [];
  const base = file.path.split('/').at(-1)?.split('.')[0] ?? '';
  const exported = [...file.text.matchAll(EXPORT)].map(({ groups, index }) => {
    return { name: groups?.['name'] ?? '', line: lineAt(file.text, index) };
  });
  return [{ name: base, line: 1 }, ...exported];
}

function wordsIn(name: string): readonly string[] {
  return [...name.matchAll(/[A-Z]?[a-z\d]+|[A-Z]+(?![a-z])/gu)].map(([word]) => word.toLowerCase());
}
