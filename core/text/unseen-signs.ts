/**
 * Signs that nobody sees: control characters, and format characters that turn the direction of a
 * text, break or join its words, or hide a text in it. A model may write them, but no text needs
 * them. The two joiners stay, because emoji and several scripts need them.
 */

const CONTROLS = /(?:(?![\t\n\r])\p{Cc})+/gu;
const FORMATS =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]+/gu;

/** Returns a text without such signs; a space replaces control characters, except in breaks. */
export function withoutUnseenSigns(text: string): string {
  return text.replaceAll(CONTROLS, ' ').replaceAll(FORMATS, '');
}
