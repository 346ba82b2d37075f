/** Plans: what is only thought of, asked for or still to come is not done yet. */
import type { Told } from './attribution.ts';
import { readOnce } from './read-once.ts';
import type { Statement } from './statement.ts';
import { isIrregularForm, stemOf } from './stem.ts';
import { lowerAt } from './token.ts';

/** What stands in a clause with one of these is still open. */
const OPENING = new Set(
  (
    'will shall going gonna plan plans planned planning consider considering thinking ' +
    'want wants hope hopes hoping intend intends scheduled may might could should would ' +
    'need needs must please pls ask asks asked requested propose proposed suggest ' +
    'suggested wish wishes todo supposed aim aims let maybe perhaps'
  ).split(' '),
);
/** A fact with one of these, as stems, says itself that it is open, or whose words it tells. */
const REPORTING = new Set(
  (
    'will shall going plan consider think want hope intend schedule may might could ' +
    'should would need must please ask request propose suggest recommend offer promise ' +
    'agree decide prefer wish said say told tell volunteer due order expect take take ' +
    'wonder invite remind not no never yet if mention explain announc advise warn aim ' +
    'commit assign confirm interest looking look wait upcoming upcoming about'
  )
    .split(' ')
    .map((word) => stemOf(word)),
);
const STATES = new Set(
  (
    'done complete completed finished over live shipped ready got bought ' +
    'built sold paid sent made'
  ).split(' '),
);
/** Words that say when something open becomes no matter of plans any more. */
const CLOSING = /^(?:[.;:!?]|but|because|since|so)$/u;
/** They open only what is not told as past. */
const SOON = /^(?:tomorrow|next|soon)$/u;
const LINKING = /^(?:and|,)$/u;
/** `the plan`, `in May`. */
const NOUN_BEFORE = /^(?:the|a|an|my|our|your|his|her|their|in|on|no)$/u;
/** Of what a fact and its sources share at least this much has to be open. */
const OPEN_SHARE_MIN = 0.5;

/** A fact gives as done what its sources only have as open. */
export function isStillOpen(fact: Statement, all: readonly Told[]): boolean {
  const words = fact.tokens.map(({ lower }) => lower);
  if (
    fact.isQuestion ||
    words.some((word) => REPORTING.has(stemOf(word)) || /n't$|'ll$/u.test(word))
  )
    return false;
  const done = new Set(words.flatMap((word, index) => (isDone(words, index) ? stemOf(word) : [])));
  if (done.size === 0) return false;
  const parts = all.map(({ statement }) => partsOf(statement));
  const open = { has: (stem: string) => parts.some((part) => part.open.has(stem)) };
  const plain = { has: (stem: string) => parts.some((part) => part.plain.has(stem)) };
  // What is said to have happened somewhere did happen.
  if ([...done].some((stem) => plain.has(stem) && fact.content.has(stem))) return false;
  // The verb itself is open: what it is done to may be known from elsewhere.
  if ([...done].some((stem) => open.has(stem) && fact.content.has(stem))) return true;
  const shared = [...fact.content].filter((stem) => open.has(stem) || plain.has(stem));
  const onlyOpen = shared.filter((stem) => !plain.has(stem));
  return onlyOpen.length > 0 && onlyOpen.length >= shared.length * OPEN_SHARE_MIN;
}

function isDone(words: readonly string[], index: number): boolean {
  const word = words[index] ?? '';
  return STATES.has(word) || isPastForm(word);
}

/** Whether a lower-case word is likely to be a past form or participle. */
export function isPastForm(word: string): boolean {
  if (word === 'children' || word === 'people' || word.length <= 3) return false;
  return /(?<!e)ed$/u.test(word) || (isIrregularForm(word) && !/(?:s|ing)$/u.test(word));
}

interface Parts {
  readonly open: ReadonlySet<string>;
  readonly plain: ReadonlySet<string>;
}

/** A clause is open from its beginning to where it closes; `and` carries that on. */
const partsOf = readOnce(({ tokens, stems, isQuestion }: Statement): Parts => {
  const open = new Set<string>();
  const plain = new Set<string>();
  let isOpen = isQuestion;
  let hasPast = false;
  let clause: string[] = [];
  const end = (): void => {
    for (const stem of clause) (isOpen ? open : plain).add(stem);
    clause = [];
  };
  for (const [index, { lower, text }] of tokens.entries()) {
    if (CLOSING.test(lower) || LINKING.test(lower)) end();
    if (CLOSING.test(lower)) isOpen = isQuestion;
    const isNoun = text === 'May' || NOUN_BEFORE.test(lowerAt(tokens, index - 1));
    hasPast ||= isPastForm(lower);
    const isOpening = OPENING.has(lower) || /'(?:ll|d)$/u.test(lower);
    if ((isOpening || (SOON.test(lower) && !hasPast)) && !isNoun) isOpen = true;
    const stem = stems[index] ?? '';
    if (stem !== '') clause.push(stem);
  }
  end();
  return { open, plain };
});
