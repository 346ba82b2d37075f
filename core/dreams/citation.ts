/**
 * Citations at the end of a line, as the prompt of a dream asks for them: `(s3, s7)`, and what
 * models make of it: `[s3][s7]`, `(sources: s3; s7).`, `(s3 and s7)`.
 */

/** Labels of one group; more is no citation of a line. */
const LABELS_MAX = 64;
const LABEL = String.raw`s\d{1,9}`;
const BETWEEN = String.raw`(?:\s{0,3}(?:[,;&/]|and|und|et|y)\s{0,3}|\s{1,3})`;
const FURTHER = String.raw`(?:${BETWEEN}${LABEL}){0,${String(LABELS_MAX - 1)}}`;
const NAMED = String.raw`(?:sources?\s{0,3}:?\s{0,3})?`;
const GROUP = String.raw`[(\[]\s{0,3}${NAMED}${LABEL}${FURTHER}\s{0,3}[)\]]`;
const LAST_GROUP = new RegExp(String.raw`\s{0,3}(${GROUP})[\s.。*_]{0,4}$`, 'iu');
const ANY_GROUP = new RegExp(GROUP, 'giu');
const LABELS = new RegExp(LABEL, 'giu');

/** Groups at the end of one line that are read. */
const GROUPS_MAX = 64;

export interface CitedText {
  readonly text: string;
  /** In lower case, in their order. */
  readonly labels: readonly string[];
}

/** The labels at the end of a line, and the line without them. */
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
 * With quotation marks for the brackets of what looks like a citation: a model that copies a line
 * of data would else cite what the line's author chose. Brackets around brackets gain nothing.
 */
export function withoutCitations(text: string): string {
  return text.replaceAll(ANY_GROUP, (group) => `"${group.slice(1, -1)}"`);
}
