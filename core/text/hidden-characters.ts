/**
 * Takes out characters that no reader sees, but that change what a terminal or a model reads. There
 * are two sets of them. What people write keeps the marks of direction that their script needs, and
 * the tags of a flag: `withoutHiddenCharacters` takes out only what reverses, hides or commands.
 * What a model writes needs none of them: `withoutFormatCharacters` takes out marks of direction,
 * soft hyphens and all tags too. Both keep the two joiners (U+200C, U+200D), because emoji and
 * several scripts need them.
 */

/** Control characters, except tabs and line feeds: ESC begins the commands of a terminal. */
const CONTROLS = String.raw`\u0000-\u0008\u000b-\u001f\u007f-\u009f`;
/** Line breaks that Markdown does not know; a line that they began would be a new entry. */
const BREAKS = new RegExp(String.raw`\r(?!\n)|[\u000b\u000c\u0085]`, 'gu');
/** Overrides, embeddings and isolates, which reverse the order of what follows. */
const REORDERING = String.raw`\u202a-\u202e\u2066-\u2069`;
/** Characters without width, except the joiners. */
const WITHOUT_WIDTH = String.raw`\u180e\u200b\u2060-\u2064\u206a-\u206f\ufeff`;
const HIDDEN = new RegExp(`[${CONTROLS}${REORDERING}${WITHOUT_WIDTH}]`, 'gu');
/** Invisible copies of letters, which are visible only as part of a flag. */
const TAGS = /(?<flag>\u{1f3f4}[\u{e0020}-\u{e007e}]+\u{e007f})|[\u{e0000}-\u{e007f}]/gu;

/** Prepares stored text for a reader: a model, or a person at a screen. */
export function withoutHiddenCharacters(text: string): string {
  return text.replaceAll(BREAKS, ' ').replaceAll(HIDDEN, '').replaceAll(TAGS, '$<flag>');
}

const MODEL_CONTROLS = /(?:(?![\t\n\r])\p{Cc})+/gu;
/** Soft hyphens, marks of direction, reordering, characters without width, and tags. */
const FORMATS =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]+/gu;

/** Returns the text of a model without such characters; a space replaces control characters. */
export function withoutFormatCharacters(text: string): string {
  return text.replaceAll(MODEL_CONTROLS, ' ').replaceAll(FORMATS, '');
}
