/** The fields that may stand before a Markdown document. */

/** Longest front matter; otherwise the document begins with a horizontal rule. */
const LINES_MAX = 400;
/** What may end it, by what begins it. */
const ENDS = new Map([
  ['---', ['---', '...']],
  ['+++', ['+++']],
]);

/** Returns how many lines YAML between `---`, or TOML between `+++`, takes at the start; or 0. */
export function frontMatterLines(lines: readonly string[]): number {
  const ends = ENDS.get(lines[0]?.trimEnd() ?? '') ?? [];
  const end = lines.slice(1, LINES_MAX).findIndex((line) => ends.includes(line.trimEnd()));
  // A heading or a sentence between two horizontal rules is not front matter.
  const isFields = /^[\w"'-]+\s*[:=]/.test(lines[1] ?? '') || end === 0;
  return end === -1 || !isFields ? 0 : end + 2;
}
