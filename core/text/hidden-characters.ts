/** Prepares stored text for a reader: a model, or a person at a screen. */

/** Control characters, except tabs and line feeds: ESC begins the commands of a terminal. */
const CONTROLS = String.raw`\u0000-\u0008\u000b-\u001f\u007f-\u009f`;
/** Line breaks that Markdown does not know; a line that they began would be a new entry. */
const BREAKS = new RegExp(String.raw`\r(?!\n)|[\u000b\u000c\u0085]`, 'gu');
/** Overrides, embeddings and isolates, which reverse the order of what follows. */
const REORDERING = String.raw`\u202a-\u202e\u2066-\u2069`;
/** Characters without width, except those that join letters or emoji (U+200C, U+200D). */
const WITHOUT_WIDTH = String.raw`\u180e\u200b\u2060-\u2064\u206a-\u206f\ufeff`;
const HIDDEN = new RegExp(`[${CONTROLS}${REORDERING}${WITHOUT_WIDTH}]`, 'gu');
/** Invisible copies of letters, which are visible only as part of a flag. */
const TAGS = /(?<flag>\u{1f3f4}[\u{e0020}-\u{e007e}]+\u{e007f})|[\u{e0000}-\u{e007f}]/gu;

/**
 * Returns the text without characters that no reader sees, but that change what a terminal or a
 * model reads.
 */
export function withoutHiddenCharacters(text: string): string {
  return text.replaceAll(BREAKS, ' ').replaceAll(HIDDEN, '').replaceAll(TAGS, '$<flag>');
}
