/** Identifiers: what has to be exact to the letter. */

const ADDRESS = /https?:\/\/\S+/gu;
const MAIL = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/gu;
const TICKET = /(?<![\p{L}\p{N}])\p{Lu}{2,10}-\d{1,9}(?![\p{L}\p{N}])/gu;
const HASH = /(?<![\p{L}\p{N}])(?=\d{0,63}[a-f])[0-9a-f]{8,64}(?![\p{L}\p{N}])/gu;
const UNIQUE = /(?<![\p{L}\p{N}])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\p{L}\p{N}])/giu;
const PATH = /(?<![\p{L}\p{N}/.~])(?:~|\.{1,2})?(?:\/[\w.@+-]{1,128}){2,16}/gu;
const VERSION = /(?<![\p{L}\p{N}.])v?\d{1,5}(?:\.\d{1,5}){2,3}(?![\p{L}\p{N}]|\.\d)/gu;
const FLAG = /(?<![\p{L}\p{N}-])--[a-z][\w-]{1,64}/gu;
const KINDS = [ADDRESS, MAIL, TICKET, HASH, UNIQUE, PATH, VERSION, FLAG];

/** Every identifier of a text, without the marks that a sentence puts behind it. */
export function identifiersOf(text: string): readonly string[] {
  const found = KINDS.flatMap((kind) => text.match(kind) ?? []);
  return found
    .map((id) => id.replace(/(?<![.,;:!?)\]"'’”>])[.,;:!?)\]"'’”>]+$/u, ''))
    .filter((id) => !/^\d{1,2}\.\d{1,2}\.\d{2,4}$/u.test(id));
}

/** Whether an identifier stands there by itself: `ann@x.co` does not stand in `joann@x.com`. */
export function standsIn(text: string, id: string): boolean {
  const continued = /@|\/|\.\d/u.test(id) ? /^(?:\w|[./?#=&%-]\w)/u : /^\w/u;
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
    const before = text.slice(Math.max(0, at - 1), at);
    if (!/\w/u.test(before) && !continued.test(text.slice(at + id.length, at + id.length + 2))) {
      return true;
    }
  }
  return false;
}
