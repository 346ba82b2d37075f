/**
 * The outcome of a conversation: decisions, agreed numbers, next actions. These precede its topics,
 * and proposals that were rejected later are omitted. The words and constants were tuned on 20
 * meetings of QMSum by `npm run bench -- meetings`. English only: other languages have no word
 * lists.
 */
import { oneOf, WORD_END, WORD_START } from '#core/text/pattern.ts';
import { contentStems, isContentWord, plainWords } from '#core/text/words.ts';
import type { Candidate } from './candidate-sentences.ts';

function wordsOf(words: string): RegExp {
  return new RegExp(WORD_START + oneOf(words) + WORD_END, 'giu');
}

const DOING =
  '(?:go|use|have|take|keep|make|do|put|say|add|try|stick|sell|need|be|target|work|not)';
const REFUSING = String.raw`(?:do not|no longer|\p{L}+n['’]t) (?:need|use|want|have|afford)`;

/** Words of an outcome, and what each line adds to the weight of a sentence that has one. */
const CUES: readonly (readonly [RegExp, number])[] = [
  [wordsOf('(?:going|go|goes|went|take) (?:for|with), stick(?:ing)? (?:with|to)'), 2.5],
  [wordsOf(`let['’]s (?:just )?${DOING}`), 2.5],
  [
    wordsOf(String.raw`
      decid(?:ed|es|ing), decision (?:is|was), agreed, agreement, conclu(?:ded|sion|des),
      settled on, chos(?:e|en), approved, rejected, committed, final(?:ly)?
    `),
    1,
  ],
  [
    wordsOf(`(?:[’']re|[’']s|are|is) (?:(?:just|basically|also|not) )?(?:going to|gonna) ${DOING}`),
    1,
  ],
  [wordsOf('only, definitely, just one, exactly, maximum, at least, at most'), 1],
  [wordsOf('budgets?, costs?, price, profit, target(?:s|ed|ing)?, aim(?:s|ing)?, deadline'), 1],
  [wordsOf("we (?:use|have|keep|take|chose|choose|want|wanted|said|put|got|found), we['’]ve"), 0.5],
  [
    wordsOf(String.raw`
      (?:is|are) (?:definitely )?out, ${REFUSING}, no need, not going to, won['’]t, without,
      (?:get|got) rid of, (?:discard|omit|drop|reject|remove|ditch)(?:ed)?
    `),
    0.5,
  ],
  [wordsOf('in favou?r of, instead of, (?:rather|better|more|less) than'), 0.5],
];

const COUNT = String.raw`
  one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, \p{L}+teen, twenty,
  thirty, forty, fifty, sixty, seventy, eighty, ninety, half, hundred, \d[\d.\u002c]*
`;
const UNIT = String.raw`
  euros?, pounds?, dollars?, cents?, percent, per ?cent, hours?, days?, weeks?, months?, years?,
  million, billion, thousand, hundred, points?, point ${oneOf(COUNT)}, gigs?, gigabytes?, people,
  tonnes, loans?
`;
const COUNTED = String.raw`${oneOf(COUNT)}(?:[ -](?:and )?(?:a )?${oneOf(COUNT)})*`;
/** A number with its unit; minutes are not a unit here, since they concern the meeting itself. */
const AMOUNT = new RegExp(
  String.raw`${WORD_START}${COUNTED}(?: ${oneOf(UNIT)}${WORD_END}| ?%)|[$€£] ?\d`,
  'iu',
);
const AMOUNT_GAIN = 4;

/** Words of what is only considered or wished. */
const WEIGHED = wordsOf(String.raw`
  maybe, perhaps, could, might, i think, i guess, i suppose, i don['’]t know, i dunno, not sure,
  what if, would be nice, if we, if you, i mean, sort of, kind of, for example, for instance,
  or something, whether, i was, i['’]d, i would, personally, do we, are we, shall we
`);
const WEIGHED_WEIGHT = 0.75;

/** Words about the meeting, the slides and the room. */
const PROCESS = wordsOf(String.raw`
  agenda, slides?, presentations?, powerpoint, minutes, meetings?, whiteboard, laptop, screen here,
  microphones?, folder, e-?mails?, draw(?:ing)?, pen, questionnaire, talk(?:ing)? about,
  discuss(?:ed|ion|ing)?, go ahead, move on, next item, introduce, introduction, favou?rite,
  animals?, thank, sorry, question, look at, show you, tell you
`);
const PROCESS_WEIGHT = 0.3;
/** At most this many words of one kind count. */
const SAME_KIND_MAX = 2;

const QUESTION = /[?？]/u;

function distinct(said: string, words: RegExp): number {
  return Math.min(SAME_KIND_MAX, new Set(said.toLowerCase().match(words)).size);
}

function cueGain(said: string): number {
  const gains = CUES.map(([words, gain]) => (said.search(words) < 0 ? 0 : gain));
  return gains.reduce((sum, gain) => sum + gain, AMOUNT.test(said) ? AMOUNT_GAIN : 0);
}

/** Returns the weight of a spoken sentence for the outcome it states; a question states none. */
export function outcomeWeight(said: string): number {
  const gain = cueGain(said);
  const weighed = WEIGHED_WEIGHT ** distinct(said, WEIGHED);
  return (1 + gain) * weighed * PROCESS_WEIGHT ** distinct(said, PROCESS);
}

/** Whether a few words state an outcome: more than a bare number. */
export function statesOutcome(said: string): boolean {
  if (QUESTION.test(said) || cueGain(said) === 0) return false;
  return plainWords(said.replace(AMOUNT, '')).some(isContentWord);
}

/** Decisions fall in the second half, before people part: gain there, compared with either end. */
const LATE_GAIN = 1;
const PARTING_SHARE = 0.1;

/**
 * Returns the weight of a place in a conversation.
 * @param place share of the talk that is over
 */
export function placeWeight(place: number): number {
  return 1 + LATE_GAIN * Math.min(1, 2 * place, (1 - place) / PARTING_SHARE);
}

const THING = String.raw`((?:[\p{L}_-]+ )?[\p{L}_-]+)`;
const DETERMINERS = '(?:(?:the|a|an|any|that|this|those|these|our) )*';
const DROPPING =
  "omit, drop, discard, ditch, (?:get|got) rid of, we (?:do not|don['’]t) (?:need|use|have)";
/** "The shade is out", "No joystick", "We will omit the touch screen". */
const VERDICTS: readonly RegExp[] = [
  new RegExp(`${THING} (?:is|are) (?:definitely |just |way )?(?:out(?! of)|too expensive)`, 'iu'),
  new RegExp(`${WORD_START}${oneOf(DROPPING)} ${DETERMINERS}${THING}`, 'iu'),
  new RegExp(`^no ${THING}[.,]`, 'iu'),
];
const VERDICT_WORDS_MAX = 12;
const NO_VERDICT = /[?？]|(?<!\p{L})(?:if|when|problem|worry)(?!\p{L})/iu;
const REFUSALS = `
  no, not, never, \\p{L}+n['’]t, without, instead, rather, omit, drop, discard, out, expensive
`;
const REFUSED = new RegExp(WORD_START + oneOf(REFUSALS) + WORD_END, 'iu');
/** A thing that more sentences mention is the topic of the talk, not one proposal in it. */
const PROPOSAL_SENTENCES_MAX = 25;

export interface Spoken {
  readonly candidate: Pick<Candidate, 'order' | 'stems'>;
  /** The words without the speaker. */
  readonly said: string;
  /** The same before fillers and opening words such as "actually" were removed. */
  readonly raw: string;
}

/** Returns the orders of candidates that propose what a later candidate rejects. */
export function rejectedProposals(
  talk: readonly Spoken[],
  stem: (word: string) => string,
): ReadonlySet<number> {
  const rejected = new Set<number>();
  const byStem = new Map<string, Spoken['candidate'][]>();
  for (const { candidate, said } of talk) {
    for (const stems of verdictStems(said, stem)) {
      const proposals = byStem.get(stems[0] ?? '') ?? [];
      if (proposals.length > PROPOSAL_SENTENCES_MAX) continue;
      const meant = proposals.filter((each) => stems.every((one) => each.stems.includes(one)));
      for (const { order } of meant) rejected.add(order);
    }
    if (REFUSED.test(said)) continue;
    for (const each of candidate.stems) {
      const known = byStem.get(each) ?? [];
      byStem.set(each, known);
      if (known.length <= PROPOSAL_SENTENCES_MAX) known.push(candidate);
    }
  }
  return rejected;
}

function verdictStems(
  said: string,
  stem: (word: string) => string,
): readonly (readonly string[])[] {
  if (said.split(' ').length > VERDICT_WORDS_MAX || NO_VERDICT.test(said)) return [];
  const things = VERDICTS.map((verdict) => verdict.exec(said)?.[1] ?? '');
  return things.map((thing) => contentStems(thing, stem)).filter((stems) => stems.length > 0);
}
