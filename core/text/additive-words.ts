/** Words that add to something that still holds: `I also work at Nokia`. */
const ADDITION = /\b(?:too|as well|auch|ebenfalls|también|además)\b|\balso\b|也|还/iu;
/** German `also`, which means `so` and adds nothing. */
const SO = new RegExp(
  String.raw`\balso (?:${[
    'ich|wir|er|sie|es|muss|müssen|ist|sind|hat|haben|kann|können|bin|war|ja|gut|das|der|die|den',
    'wenn|bitte|nein|nicht|doch|geht|komm\\p{L}*|brauch\\p{L}*|soll\\p{L}*|lass\\p{L}*|keine?n?',
  ].join('|')})(?!\p{L})`,
  'giu',
);

export function saysAlso(text: string): boolean {
  return ADDITION.test(text.replaceAll(SO, ' '));
}
