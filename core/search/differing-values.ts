/**
 * Decides whether two nearly equal texts contradict each other. For any model, "deploys are on
 * Monday" and "deploys are on Tuesday" are as similar as a text and its repetition. Strict on
 * purpose: if unsure, both texts stay.
 */
import { wordSet } from '../text/word-lists.ts';

/** Words that negate a statement, in the supported languages. */
const NEGATIONS = `
not no nor never none nobody nothing neither without cannot dont doesnt didnt isnt arent wasnt
werent wont cant couldnt shouldnt wouldnt hasnt havent unless except stop stopped
nicht kein keine keinen keiner nie niemals ohne ne pas jamais aucun sans nunca sin jamas ningun
não nunca sem não non mai senza geen niet nooit не нет никогда без 不 没 未 非 无 沒 無 ない ません لا ليس لم
`;

/** Days, months and other words that place a statement in time without a digit. */
const DATES = `
monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat
sun january february march april may june july august september october november december jan feb
mar apr jun jul aug sep sept oct nov dec today tomorrow yesterday daily weekly monthly yearly hourly
morning noon afternoon evening night midnight am pm before after until since
`;

/** Numbers written as words. */
const NUMBERS = `
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred
thousand million billion half twice first second third fourth fifth sixth seventh eighth ninth tenth
`;

/** Capitalized words that often begin a sentence and are not names. */
const BEGINNINGS = `
a an the this that these those all any both each every some many most much my our your his her its
their i we you he she it they there here who what when where why how which if as and but or so for
from in into of on at to by with about also always please remember note use
der die das ein eine er sie es wir ihr ich le la les un une il elle ils nous je el los las una yo o
os uma ele ela lo gli uno lui lei de het een
`;

const TELLING = wordSet(`${NEGATIONS} ${DATES} ${NUMBERS}`);
const NO_NAMES = wordSet(BEGINNINGS);

/** Negations in scripts without spaces, where they occur inside a run of characters. */
const UNSPACED_NEGATION = /[不没未非无沒無]|ない|ません/gu;

/** Words, with what joins the parts of numbers, dates, times, versions, addresses and paths. */
const TOKEN = /[\p{L}\p{N}_$#@][\p{L}\p{M}\p{N}]*(?:[.,:/@_'’+-]*[\p{L}\p{M}\p{N}_])*/gu;

/** A digit, or a joiner or capital inside: a number, date, version, address or identifier. */
const EXACT = /\p{N}|[_@/#$]|\p{L}[.:]\p{L}|\p{Ll}\p{Lu}|^\p{Lu}{2,}$/u;

const CAPITALISED = /^\p{Lu}/u;

/**
 * Returns whether the numbers, dates, identifiers, names or negations of two texts differ. A
 * capitalized word counts as a name, unless it often begins a sentence or the other text has it in
 * lower case.
 */
export function saysOtherwise(a: string, b: string): boolean {
  return haveOtherMarks(marksOf(a), marksOf(b));
}

/** As `saysOtherwise`, of texts that are read already. */
export function haveOtherMarks(left: Marks, right: Marks): boolean {
  return isMissing(left, right) || isMissing(right, left);
}

/** What two texts that say the same have in common. */
export interface Marks {
  /** Tokens that must be equal, in lower case, with their number of occurrences. */
  readonly exact: ReadonlyMap<string, number>;
  readonly names: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
}

export function marksOf(text: string): Marks {
  const exact = new Map<string, number>();
  const names = new Set<string>();
  const words = new Set<string>();
  const normal = text.normalize('NFKC');
  for (const [token] of normal.matchAll(TOKEN)) {
    const lower = token.toLowerCase().replaceAll(/['’]/gu, '');
    words.add(lower);
    // No other words end like "can't" and "isn't".
    const word = /n['’]t$/iu.test(token) ? 'not' : lower.replace(/(?<=\p{N}),(?=\p{N}{3})/gu, '');
    if (TELLING.has(word) || EXACT.test(token)) exact.set(word, (exact.get(word) ?? 0) + 1);
    else if (CAPITALISED.test(token) && !NO_NAMES.has(lower))
      names.add(lower.replace(/(?<=\p{L}{2})s$/u, ''));
  }
  for (const [negation] of normal.matchAll(UNSPACED_NEGATION)) {
    exact.set(negation, (exact.get(negation) ?? 0) + 1);
  }
  return { exact, names, words };
}

/** Returns whether `of` has a mark that `other` lacks. */
function isMissing(of: Marks, other: Marks): boolean {
  for (const [mark, count] of of.exact) if (other.exact.get(mark) !== count) return true;
  for (const name of of.names) {
    const known = other.names.has(name) || other.words.has(name) || other.words.has(`${name}s`);
    if (!known) return true;
  }
  return false;
}
