/** The cast of a statement: who is named in it, and in what part. */
import { bare, type NameBook } from './name.ts';
import { isFunctionWord, type Statement } from './statement.ts';
import { isIrregularForm, stemOf } from './stem.ts';
import { lowerAt, type Token } from './token.ts';

/** One person or role in one place of a statement. */
export interface Part {
  /** Words of the name, in small letters. */
  readonly person: readonly string[];
  /** `Subject`, `Object`, a preposition, `of` and what is owned; empty where it is unclear. */
  readonly slot: string;
  /** Stem of the verb that a subject or object belongs to. */
  readonly verb: string;
  /** Said by name or role, and not by `I`. */
  readonly isNamed: boolean;
  /** Only taken for a name because it stands where one would. */
  readonly isGuessed: boolean;
}

export interface Cast {
  readonly parts: readonly Part[];
  /** Somebody is meant whom only the text around it names. */
  readonly hasPronoun: boolean;
}

const ROLE_WORDS: Readonly<Record<string, string>> = {
  user: 'user',
  customer: 'user',
  client: 'user',
  caller: 'user',
  assistant: 'assistant',
  agent: 'assistant',
  bot: 'assistant',
};
const PREPOSITIONS = new Set(
  'to for from with of at on about against than after before over under via behind'.split(' '),
);
const AUXILIARIES = new Set(
  (
    'please pls kindly is are was were be been being am has have had will would shall should ' +
    'can could may might must ' +
    'do does did not never also just already always still now then usually often really ' +
    "cannot don't doesn't didn't won't can't isn't aren't wasn't weren't hasn't haven't hadn't " +
    "wouldn't shouldn't couldn't able unable to going who"
  ).split(' '),
);
const BE = new Set("is are was were be been being isn't aren't wasn't weren't gets got".split(' '));
const PRONOUNS = new Set('he she they him them who whom whose'.split(' '));
/** How far from a name its verb may stand. */
const VERB_REACH_TOKENS = 6;

/** Who says `I` in a statement, and to whom it says `you`; empty where nobody knows. */
export interface Voices {
  readonly self: readonly string[];
  readonly other: readonly string[];
}

export function castOf({ tokens }: Statement, book: NameBook, voices: Voices): Cast {
  const parts: (Part & Slot)[] = [];
  let hasPronoun = false;
  for (let index = 0; index < tokens.length; index += 1) {
    if (PRONOUNS.has(lowerAt(tokens, index))) hasPronoun = true;
    const named = personAt(tokens, index, { book, voices });
    if (named === null) continue;
    parts.push({ ...named, ...slotOf(tokens, index, { end: named.end, book }) });
    index = named.end - 1;
  }
  const own = unsaidSubject(tokens, book, voices.self);
  return { parts: [...own, ...joined(tokens, parts)], hasPronoun };
}

/** `Rolled back the deploy`: who speaks did it. */
function unsaidSubject(
  tokens: readonly Token[],
  book: NameBook,
  self: readonly string[],
): readonly Part[] {
  const [first, next] = tokens;
  const isVerb = first !== undefined && /^\p{L}{2,}ed$/u.test(first.lower) && !book.isName(first);
  if (!isVerb || self.length === 0 || next?.kind !== 'Word') return [];
  if (/^(?:by|on|in|with|to|for|from)$/u.test(next.lower)) return [];
  const verb = stemOf(first.lower);
  return [{ person: self, slot: 'Subject', verb, isNamed: false, isGuessed: false }];
}

interface Person {
  readonly person: readonly string[];
  readonly isNamed: boolean;
  readonly isGuessed: boolean;
  readonly start: number;
  readonly end: number;
}

/** Whether two names may be one person: `Ann` and `Ann Lee`. */
export function isSamePerson(one: readonly string[], other: readonly string[]): boolean {
  if (one.length === 0 || other.length === 0) return false;
  return one.every((word) => other.includes(word)) || other.every((word) => one.includes(word));
}

/** The role that a word names, or the word itself. */
export function roleOf(word: string): string {
  return Object.hasOwn(ROLE_WORDS, word) ? (ROLE_WORDS[word] ?? word) : word;
}

export function isRole(word: string): boolean {
  return Object.hasOwn(ROLE_WORDS, word);
}

function personAt(
  tokens: readonly Token[],
  index: number,
  { book, voices: { self, other } }: { book: NameBook; voices: Voices },
): Person | null {
  const token = tokens[index];
  if (token?.kind !== 'Word') return null;
  const first = token.lower.replace(/'\p{L}+$/u, '');
  if (self.length > 0 && /^(?:i|me|my|mine|myself)$/u.test(first)) {
    return { person: self, isNamed: false, isGuessed: false, start: index, end: index + 1 };
  }
  if (other.length > 0 && /^(?:you|your|yours|yourself)$/u.test(first)) {
    return { person: other, isNamed: false, isGuessed: false, start: index, end: index + 1 };
  }
  const word = bare(token.lower);
  if (
    isRole(word) &&
    (/^(?:the|our|this|that)$/u.test(lowerAt(tokens, index - 1)) || index === 0)
  ) {
    return {
      person: [roleOf(word)],
      isNamed: true,
      isGuessed: false,
      start: index,
      end: index + 1,
    };
  }
  let end = index;
  const person: string[] = [];
  for (let each = tokens[end]; each !== undefined && book.isName(each); each = tokens[end]) {
    person.push(roleOf(bare(each.lower)));
    end += 1;
    if (/'s?$/u.test(each.lower)) break;
  }
  if (person.length > 0) return { person, isNamed: true, isGuessed: false, start: index, end };
  const isFirst =
    tokens.slice(0, Math.min(index, 3)).every(({ kind }) => kind === 'Mark') && index < 3;
  if (!isFirst || !/^\p{Lu}\p{Ll}/u.test(token.text) || isFunctionWord(token.lower)) return null;
  return { person: [word], isNamed: false, isGuessed: true, start: index, end: index + 1 };
}

type Slot = Pick<Part, 'slot' | 'verb'> & { readonly start: number; readonly end: number };

function slotOf(
  tokens: readonly Token[],
  start: number,
  { end, book }: { end: number; book: NameBook },
): Slot {
  const place = { start, end };
  const last = lowerAt(tokens, end - 1);
  if (/'s?$/u.test(last) || last === 'my' || last === 'your') {
    return { ...place, slot: `of ${stemOf(lowerAt(tokens, end))}`, verb: '' };
  }
  const first = start - (/^(?:the|our|this|that)$/u.test(lowerAt(tokens, start - 1)) ? 1 : 0);
  const before = lowerAt(tokens, first - 1);
  if (before === 'by') {
    const verb = participleBefore(tokens, first - 1);
    return verb === '' ? { ...place, slot: 'by', verb } : { ...place, slot: 'Subject', verb };
  }
  if (before === 'to' && lowerAt(tokens, first - 2) === 'according') {
    return { ...place, slot: 'Subject', verb: 'say' };
  }
  if (PREPOSITIONS.has(before)) return { ...place, slot: before, verb: '' };
  const follows = verbAfter(tokens, end, book);
  if (follows !== null) return { ...place, ...follows };
  const previous = tokens[first - 1];
  const isVerb = previous?.kind === 'Word' && !isFunctionWord(before) && !book.isName(previous);
  return { ...place, slot: isVerb ? 'Object' : '', verb: isVerb ? stemOf(before) : '' };
}

function verbAfter(
  tokens: readonly Token[],
  end: number,
  book: NameBook,
): Pick<Part, 'slot' | 'verb'> | null {
  let isPassive = lowerAt(tokens, end - 1).endsWith("'s");
  for (let at = end; at < end + VERB_REACH_TOKENS; at += 1) {
    const token = tokens[at];
    if (token?.kind !== 'Word' || book.isName(token)) return null;
    const word = token.lower;
    if (BE.has(word)) isPassive = true;
    if (word === 'to') isPassive = false;
    const isMain = /^(?:has|have|had|do|does|did)$/u.test(word) && isDeterminer(tokens[at + 1]);
    if (isMain) return { slot: 'Subject', verb: word.startsWith('h') ? 'have' : 'do' };
    if (AUXILIARIES.has(word) || /[^f]ly$/u.test(word)) continue;
    if (PREPOSITIONS.has(word) || /^(?:and|or|but|a|an|the|in|that|if|as|until|since)$/u.test(word))
      return null;
    const verb = stemOf(word);
    const participle = isPassive && isParticiple(word);
    return { slot: participle ? 'Object' : 'Subject', verb };
  }
  return null;
}

/** `has the flu` and `does the screening`: the verb stands for itself. */
function isDeterminer(token: Token | undefined): boolean {
  return (
    token?.kind === 'Number' ||
    /^(?:the|a|an|my|his|her|their|our|your|this|that|two|three)$/u.test(token?.lower ?? '')
  );
}

/** The verb of `was approved … by`. */
function participleBefore(tokens: readonly Token[], by: number): string {
  for (let at = by - 1; at > by - VERB_REACH_TOKENS && at >= 0; at -= 1) {
    const word = lowerAt(tokens, at);
    if (isParticiple(word)) return stemOf(word);
  }
  return '';
}

function isParticiple(word: string): boolean {
  return /(?:ed|en)$/u.test(word) || isIrregularForm(word);
}

/** `Ann and Bob reviewed`: who is named beside a subject is one too. */
function joined(tokens: readonly Token[], parts: readonly (Part & Slot)[]): readonly Part[] {
  const all: (Part & Slot)[] = [];
  for (const part of parts.toReversed()) {
    const next = all.at(-1);
    const between = tokens.slice(part.end, next?.start ?? part.end).map(({ lower }) => lower);
    const linked =
      next !== undefined &&
      between.length > 0 &&
      between.length <= 3 &&
      between.every((word) => /^(?:and|or|,|the)$/u.test(word));
    all.push(
      linked && part.slot === '' && !next.slot.startsWith('of ')
        ? { ...part, slot: next.slot, verb: next.verb }
        : part,
    );
  }
  return all.toReversed();
}
