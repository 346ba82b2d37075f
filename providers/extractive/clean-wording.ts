/** Makes a stretch of masked text readable: removes fillers and stutters, and tidies spacing. */
import { saysNothing } from '#core/text/small-talk.ts';
import { oneOf, WORD_END, WORD_START } from '#core/text/pattern.ts';
import { CODE_SPAN, JOINER } from './mask-markup.ts';
import { SAYS_LITTLE } from '#core/text/stop-words.ts';

/** Sounds that are not words in any language. */
const SOUNDS = wholeWord('uh+|uhm|umm+|hmm+|mm+[ -]+h+m+|uh ?- ?huh|mhm', 'giu');

/** Fillers that are words elsewhere: "um" and "er" in German and Portuguese, "ER" a hospital. */
const ENGLISH_SOUNDS = wholeWord('[Uu]m|[Ee]rm?|[Aa]h|[Ee]h|(?<!\\d )[Mm]m|[Oo]h', 'gu');

/** "I guess" is not among them: without it a guess would become a fact. */
const ASIDE = '(?:you know|I mean|you see|like I said)';
/** Openers of questions, where the words are no aside: "Do you know a baker?" */
const ASKING = oneOf('[Ww]hat, [Dd]o, [Dd]id, that, [Aa]ll, [Aa]s, [Ii]f, than, [Hh]ow');
const NO_ASK = `(?<!${WORD_START}${ASKING}) `;
const ASIDES: readonly RegExp[] = [
  new RegExp(`(?<=[,.?!] )${ASIDE} ?, *`, 'giu'),
  new RegExp(`, ${ASIDE}(?= ?[.?!,]|$)`, 'giu'),
  /, (?:right|okay|yeah|huh)(?= ?[.?!]|$)/giu,
  new RegExp(
    `(?<=\\p{L})${NO_ASK}you know(?= (?!what|how|that|why|where|when|who|if|the)\\p{Ll})`,
    'gu',
  ),
];

/** Up to three words said twice in a row; never digits or number words: both may be meant. */
const STUTTER =
  /(?<![\p{L}\p{N}'’-])((?:[\p{L}'’]+ ){0,2}[\p{L}'’]+)(?:,? \1){1,4}(?![\p{L}\p{N}'’-])/giu;
/** "we we'll", "I I'd". */
const STUTTERED_PRONOUN = /(?<![\p{L}\p{N}'’-])(\p{L}+),? (?=\1['’]\p{L})/giu;
const PRONOUNS = 'I, we, you, they, he, she, it, there';
/** "I was thinking about I was thinking of": the second start is the one that was meant. */
const FALSE_START = new RegExp(
  String.raw`${WORD_START}(${oneOf(PRONOUNS)}(?:['’]\p{L}+)?(?: \p{L}+){2})(?: \p{L}+)?,? (?=\1 )`,
  'giu',
);
/** "f fine", "wh what": the start of the next word. */
const PART_WORD = /(?<![\p{L}\p{N}'’.-])(\p{Ll}{1,7}),? (?=\1\p{L})/gu;
const NUMBER_WORDS =
  'zero, one, two, three, four, five, six, seven, eight, nine, ten, hundred, thousand';
const NUMBER_WORD = new RegExp(
  String.raw`${WORD_START}${oneOf(`${NUMBER_WORDS}, double, no`)}${WORD_END}`,
  'iu',
);

/** Openers that only link a sentence to a previous one, which is no longer before it. */
const LINK_WORD = oneOf(String.raw`
  so, and, but, well, okay, ok, yeah, yep, yes, right, now, alright, all right, anyway, anyways,
  cuz, also, then, I mean, you know, like, actually, basically, see, sure, cool, great, good,
  fine, thanks, thank you, hey, hi, hello, I guess, I suppose
`);
const LINK_WORDS = new RegExp(`^(?:${LINK_WORD}(?: ?[,.!–])+ +)+`, 'iu');
const LINK_SO =
  /^so +(?!(?:that|much|many|far|long|as|is|are|am|was|do|does|did|called)(?!\p{L}))/iu;
const SUBJECTS = String.raw`
  I, we, you, they, he, she, it, the, there, this, these, that['’]s, what, if, when, for, in,
  maybe, also, basically, actually, my, our, your, let['’]s, a, an
`;
const CONJUNCTIONS = 'so, and, but, okay, yeah, and then, and so, but then, cuz';
const LINK_CONJUNCTION = new RegExp(
  `^(?:${oneOf(CONJUNCTIONS)} +(?=${oneOf(SUBJECTS)}${WORD_END}))+`,
  'iu',
);

/** Stands for code, which no rule may change. */
const CODE = '\u{E000}';

/** Cleans what is around code. */
export function outsideCode(masked: string, clean: (text: string) => string): string {
  const codes = masked.match(CODE_SPAN) ?? [];
  if (codes.length === 0 || masked.includes(CODE)) return clean(masked);
  let next = 0;
  return clean(masked.replace(CODE_SPAN, CODE)).replaceAll(CODE, () => codes[next++] ?? '');
}

/** Written text: only joiners and spacing are touched. */
export function cleanWritten(masked: string): string {
  const text = masked.replaceAll(JOINER, '').replace(/\s+/gu, ' ');
  return text.replace(/[\s,;—–]+$/u, '').trim();
}

/** Exclamations such as "Oh, great": without "oh" they would say the opposite. */
const EXCLAIMED = /^[\s\p{P}]*oh,? (?:great|good|cool|fine|sure|right|thanks|thank you)(?!\p{L})/iu;

interface Speech {
  /** English rules apply. */
  readonly english: boolean;
  /** For typed messages: no word is repeated by mistake, and an identifier keeps its case. */
  readonly typed: boolean;
}

/**
 * Cleans speech: removes fillers, stutters and opening link words, and keeps every other word,
 * number, name and negation as it was said.
 */
export function cleanSpeech(masked: string, { english, typed }: Speech): string {
  let text = tidySpacing(cleanWritten(masked)).replace(SOUNDS, '');
  if (!english) return trimMarks(tidySpacing(text));
  const isExclaimed = EXCLAIMED.test(text);
  if (!isExclaimed) text = text.replace(ENGLISH_SOUNDS, '');
  const said = trimMarks(tidySpacing(typed ? text : asSpoken(text)));
  const opened = isExclaimed ? said : withoutOpeners(said);
  const first = /^\p{L}+(?=[\s,.'’]|$)/u.exec(opened)?.[0] ?? '';
  const isLow = first !== '' && first === first.toLowerCase();
  // Only speech may begin any word with a capital: a typed one may be an identifier.
  const isCut = typed && isLow && opened !== said && !SAYS_LITTLE.has(first);
  if (isCut && !saysNothing(opened)) return said;
  const capital = typed ? opened !== said && SAYS_LITTLE.has(first) : isLow;
  return capital && first !== '' ? capitalise(opened) : opened;
}

function wholeWord(words: string, flags: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}'’-])(?:${words})(?![\\p{L}\\p{N}'’-])[ ,]*`, flags);
}

function asSpoken(spoken: string): string {
  let text = spoken;
  for (const aside of ASIDES) text = text.replace(aside, '');
  return withoutStutter(tidySpacing(text));
}

function withoutStutter(text: string): string {
  return text
    .replace(STUTTERED_PRONOUN, '')
    .replace(PART_WORD, (match: string, part: string) => (SAYS_LITTLE.has(part) ? match : ''))
    .replace(STUTTER, (match: string, said: string) =>
      NUMBER_WORD.test(said) || isName(said) ? match : said,
    )
    .replace(FALSE_START, '');
}

/** Whether repeated words are a name: "Walla Walla", but not "I I". */
function isName(said: string): boolean {
  return /^\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)*$/u.test(said) && !SAYS_LITTLE.has(said.toLowerCase());
}

function withoutOpeners(text: string): string {
  let opened = text;
  // Each kind can uncover the other: "So , and we", "And well , we".
  for (let round = 0; round < OPENER_ROUNDS_MAX; round += 1) {
    opened = opened.replace(LINK_WORDS, '').replace(LINK_CONJUNCTION, '').replace(LINK_SO, '');
  }
  return opened;
}

const OPENER_ROUNDS_MAX = 3;

/** Joins what a transcriber's tokenizer split: "we 'll" and "done ." */
function tidySpacing(text: string): string {
  return text
    .replace(/ +(?=['’](?:s|m|d|ll|re|ve|t)(?!\p{L}))/giu, '')
    .replace(/ +(?=n['’]t(?!\p{L}))/gu, '')
    .replace(/ +(?=[,.;?!](?:\s|$))/gu, '')
    .replace(/([,;])(?:\s*[,;])+/gu, '$1')
    .replace(/[,;]\s*(?=[.?!](?:\s|$))/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();
}

function trimMarks(text: string): string {
  return text.replace(/^[\s,;:.?!–-]+(?=[\s\p{L}])/u, '').replace(/[\s,;:–-]+$/u, '');
}

function capitalise(text: string): string {
  const first = String.fromCodePoint(text.codePointAt(0) ?? 32);
  return text === '' ? '' : first.toUpperCase() + text.slice(first.length);
}
