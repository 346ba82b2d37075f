/**
 * Reads citations at the end of a line: `(s3, s7)`, as the prompt of a dream asks for, and what
 * models write instead: `[s3][s7]`, `(sources: s3; s7).`, `(s3 and s7)`.
 */

/** Maximum labels of one group; a longer group is no citation. */
const LABELS_MAX = 64;
const LABEL = String.raw`s\d{1,9}`;
const BETWEEN = String.raw`(?:\s{0,3}(?:[,;&/]|and|und|et|y)\s{0,3}|\s{1,3})`;
const FURTHER = String.raw`(?:${BETWEEN}${LABEL}){0,${String(LABELS_MAX - 1)}}`;
const NAMED = String.raw`(?:sources?\s{0,3}:?\s{0,3})?`;
const GROUP = String.raw`[(\[]\s{0,3}${NAMED}${LABEL}${FURTHER}\s{0,3}[)\]]`;
const LAST_GROUP = new RegExp(String.raw`\s{0,3}(${GROUP})[\s.。*_]{0,4}$`, 'iu');
const ANY_GROUP = new RegExp(GROUP, 'giu');
const LABELS = new RegExp(LABEL, 'giu');

/** Maximum groups to read at the end of one line. */
const GROUPS_MAX = 64;

interface CitedText {
  readonly text: string;
  /** In lower case and in order. */
  readonly labels: readonly string[];
}

/** Returns the labels at the end of a line, and the line without them. */
export function citedText(line: string): CitedText {
  let text = line;
  const groups: (readonly string[])[] = [];
  for (let count = 0; count < GROUPS_MAX; count += 1) {
    const found = LAST_GROUP.exec(text);
    if (found === null) break;
    const labels = found[1]?.match(LABELS) ?? [];
    groups.unshift(labels.map((label) => `s${String(Number(label.slice(1)))}`));
    text = text.slice(0, found.index);
  }
  return { text: text.trimEnd(), labels: [...new Set(groups.flat())] };
}

/**
 * Replaces the brackets of what looks like a citation with quotation marks. Otherwise a model that
 * copies a line of data would cite what the line's author chose. Nested brackets do not help.
 */
export function withoutCitations(text: string): string {
  return text.replaceAll(ANY_GROUP, (group) => `"${group.slice(1, -1)}"`);
}
