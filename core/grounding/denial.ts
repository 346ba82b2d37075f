/** Denials: what one statement denies, of what, and what it only names aside. */
import { preferenceOf } from './preference.ts';
import { readOnce } from './read-once.ts';
import { isFunctionWord, type Statement } from './statement.ts';
import { stemOf } from './stem.ts';

const HARD = new Set(
  (
    'not never no none nobody nothing neither nor cannot without nowhere ' +
    'nicht kein keine keinen keinem keiner niemals nie ohne non niet geen не нет'
  ).split(' '),
);
/** They deny in their own way: enough to agree with a negation, too little to demand one. */
const SOFT = new Set(
  (
    'refuse decline reject fail stop lack avoid deny unable dislike hate hardly barely ' +
    'rarely seldom ' +
    'instead rather except miss cancel skip forget prevent forbid ban quit oppose unlikely ' +
    'impossible absent only unless disagree block abandon allergic wrong incorrect abstain ' +
    'exclude postpone delay doubt pending incomplete unfinished unpaid unresolved ' +
    'outstanding remain against ' +
    'too few little nearly almost empty missing free'
  )
    .split(' ')
    .map((word) => stemOf(word)),
);
/** With `to` behind them they deny what follows as `not` does. */
const REFUSALS = /^(?:unable|refus(?:e|es|ed|ing)|declin(?:e|es|ed|ing)|fail(?:s|ed|ing)?)$/u;
/** They deny what follows by themselves: `avoids nuts`, `stopped taking lessons`. */
const CEASING = /^(?:avoid(?:s|ed|ing)?|stop(?:s|ped)?|quit(?:s|ting)?)$/u;
/** What stands behind one of these is no part of what is said or denied to be so. */
const ASIDE = /^(?:before|until|unless|without|than)$/u;
const BEING = /^(?:is|are|was|were|be|been|get|got|is|i'm|being|it)$/u;
/** After a denial it names what there is all the same. */
const EXCEPTING = /^(?:except|besides)$/u;
/** The denial passes on to the next content word: `does not think that it works`. */
const PASSING = new Set(
  'think believe expect suppose want need plan able intend like likely have seem feel ' +
    'sure wish let allow enough ever even quite yet'.split(' ').map((word) => stemOf(word)),
);
/** `not only`, `no later than`, `no doubt`, `no problem`: nothing is denied. */
const IDIOM_AFTER =
  /^(?:only|just|later|earlier|more|less|fewer|doubt|problem|worries|matter|wonder|mention|bad)$/u;
const PREFIXES: Readonly<Record<string, string>> = {
  dislike: 'like',
  disagree: 'agree',
  unable: 'able',
  unhappy: 'happy',
  unsafe: 'safe',
  unavailable: 'available',
  unsupported: 'support',
  incorrect: 'correct',
  incomplete: 'complete',
  impossible: 'possible',
  disapprove: 'approve',
  distrust: 'trust',
};
const PREFIX_STEMS: ReadonlyMap<string, string> = new Map(
  Object.entries(PREFIXES).map(([word, positive]) => [stemOf(word), stemOf(positive)]),
);

/** What one statement denies. */
export interface Denial {
  /** Stems that are denied. */
  readonly denied: ReadonlySet<string>;
  /** What stands behind the first denied word. */
  readonly behind: readonly string[];
  readonly hard: number;
  /** Stems that deny in their own way. */
  readonly soft: ReadonlySet<string>;
  /** What a denied word is denied of: the stems behind it, as far as the denial reaches. */
  readonly objects: ReadonlyMap<string, readonly string[]>;
  /** Stems that only stand aside, as behind `before`. */
  readonly aside: ReadonlySet<string>;
  /** Stems that a denial excepts. */
  readonly excepted: ReadonlySet<string>;
  /** Stems of what something else stands instead of. */
  readonly replaced: ReadonlySet<string>;
  /** It says that something was so and is so no more. */
  readonly hasCeased: boolean;
}

/** Words after a negation that it may deny. */
const REACH_TOKENS = 8;
/** Words after a negation that may say what it is denied of. */
const OBJECT_TOKENS = 16;

/** Reads what a statement denies. Time is linear in its length. */
export const denialOf = readOnce((statement: Statement): Denial => {
  const { tokens, stems } = statement;
  const denied = new Set<string>();
  const behind: string[] = [];
  const objects = new Map<string, readonly string[]>();
  const words = tokens.map(({ lower }) => lower);
  let hard = 0;
  const soft = new Set<string>();
  let hasCeased = false;
  for (const [index, word] of words.entries()) {
    const positive = PREFIX_STEMS.get(stems[index] ?? '');
    if (positive !== undefined) denied.add(positive);
    const isCeasing = CEASING.test(word) || isStayingAway(words, index);
    const isRefusal = isCeasing || isRefusing(word, words[index + 1] ?? '');
    if (SOFT.has(stemOf(word)) && !isRefusal) soft.add(stemOf(word));
    if (!isRefusal && !isNegator(words, index)) continue;
    hard += 1;
    hasCeased ||= isCeasing && /^(?:stop|quit|g[ai]v|used)/u.test(word);
    const reached = reachOf({ words, stems }, index);
    // All of what is avoided or stopped is denied, not its first word alone.
    const own = isCeasing ? [...reached.denied, ...reached.behind] : reached.denied;
    for (const stem of own) {
      denied.add(stem);
      if (!isCeasing) objects.set(stem, reached.objects);
    }
    if (!isCeasing) behind.push(...reached.behind);
  }
  const aside = behindFirst(words, stems, ASIDE);
  const excepted = hard > 0 ? behindFirst(words, stems, EXCEPTING) : new Set<string>();
  return {
    denied,
    behind,
    hard,
    soft,
    objects,
    aside,
    excepted,
    replaced: replacedIn(statement),
    hasCeased,
  };
});

/** `tea instead of coffee`, `tea over coffee`: what is not taken. */
function replacedIn(statement: Statement): ReadonlySet<string> {
  const { stems } = statement;
  const words = statement.tokens.map(({ lower }) => lower);
  const start = words.findIndex(
    (word, index) =>
      (word === 'instead' && words[index + 1] === 'of') ||
      (word === 'rather' && words[index + 1] === 'than'),
  );
  const found = new Set<string>(preferenceOf(statement)?.other);
  if (start < 0) return found;
  for (let at = start + 1; at < words.length; at += 1) {
    if (/^(?:[,;:.!?]|in|on|at|for|because|when)$/u.test(words[at] ?? '')) break;
    const stem = stems[at] ?? '';
    if (stem !== '' && stem !== 'than') found.add(stem);
  }
  return found;
}

/** Stems behind the first word of a kind, up to the end of the clause. */
function behindFirst(
  words: readonly string[],
  stems: readonly string[],
  kind: RegExp,
): ReadonlySet<string> {
  const start = words.findIndex((word) => kind.test(word));
  const found = new Set<string>();
  if (start < 0) return found;
  for (let at = start + 1; at < words.length; at += 1) {
    if (/^[,;:.!?]$/u.test(words[at] ?? '')) break;
    if ((stems[at] ?? '') !== '') found.add(stems[at] ?? '');
  }
  return found;
}

/** `stays away from nuts`, `gave up smoking`, `used to smoke`, `decided against it`. */
function isStayingAway(words: readonly string[], index: number): boolean {
  const [word = '', next = '', last = ''] = words.slice(index, index + 3);
  if (word === 'used') return next === 'to' && !BEING.test(words[index - 1] ?? '');
  if (/^(?:decid|advis|recommend|warn)/u.test(word)) return next === 'against';
  if (/^(?:stay|keep|stays|keeps|stayed)$/u.test(word)) {
    return (next === 'away' && last === 'from') || (next === 'clear' && last === 'of');
  }
  return /^(?:give|gives|gave|given|giving)$/u.test(word) && next === 'up' && last !== 'to';
}

/** Whether a lower-case word denies by itself. */
export function isDenial(word: string): boolean {
  return HARD.has(word) || word.endsWith("n't");
}

function isRefusing(word: string, next: string): boolean {
  return /^lack(?:s|ed|ing)?$/u.test(word) || (next === 'to' && REFUSALS.test(word));
}

function reachOf(
  { words, stems }: { words: readonly string[]; stems: readonly string[] },
  index: number,
): { denied: readonly string[]; behind: readonly string[]; objects: readonly string[] } {
  const denied: string[] = [];
  const behind: string[] = [];
  const objects: string[] = [];
  let isOver = false;
  for (let at = index + 1; at < Math.min(words.length, index + OBJECT_TOKENS); at += 1) {
    const stem = stems[at] ?? '';
    if (
      denied.length > 0 &&
      /^(?:[,;:.!?]|and|but|or|so|because|except|besides|und|aber|oder)$/u.test(words[at] ?? '')
    )
      break;
    if (stem === '') continue;
    if (isOver) objects.push(stem);
    if (at >= index + REACH_TOKENS) continue;
    (isOver ? behind : denied).push(stem);
    if (!PASSING.has(stem)) isOver = true;
  }
  return { denied, behind, objects };
}

function isNegator(words: readonly string[], index: number): boolean {
  const word = words[index] ?? '';
  if (!isDenial(word) && !/^(?:dont|doesnt|didnt|cant|wont|isnt|wasnt)$/u.test(word)) {
    return false;
  }
  const next = words[index + 1] ?? '';
  // `No, we ship`, `why not`, `or not`, `isn't it?`
  if (word === 'no' && (index === 0 ? /^[,.!-]$/u.test(next) : /^[,.]$/u.test(next))) return false;
  if (/^(?:or|why|if)$/u.test(words[index - 1] ?? '') && !isFunctionWordBefore(next)) return false;
  if (next === 'longer' && words[index + 2] === 'than') return false;
  if (
    word.endsWith("n't") &&
    /^(?:it|they|he|she|you|we)$/u.test(next) &&
    words[index + 2] === '?'
  ) {
    return false;
  }
  return !IDIOM_AFTER.test(next) || (next === 'more' && words[index + 2] !== 'than');
}

function isFunctionWordBefore(word: string): boolean {
  return /^\p{L}/u.test(word) && !isFunctionWord(word);
}
