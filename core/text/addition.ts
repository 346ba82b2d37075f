/** Words that add to what holds already, which goes on to hold: `I also work at Nokia`. */
const ADDITION = /(?:\b(?:too|also|as well|auch|ebenfalls|también|además)\b|也|还)/iu;

export function saysAlso(text: string): boolean {
  return ADDITION.test(text);
}
