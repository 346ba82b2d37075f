/**
 * What a ranking reads of every turn and passage, in parallel arrays of numbers: with over a
 * hundred thousand of them, reading objects takes most of the time.
 */
import type { Turn } from '../../records/turn.ts';
import { localTime } from '../../said-at.ts';
import { domainsNamed } from '../words/life-domains.ts';
import { oncePer } from '../../once.ts';
import type { AssistantTurns } from './assistant-as-person.ts';
import { isLine } from './speakers.ts';
import { FORMS, SIGNS, type SessionAnalysis } from './session-analysis.ts';
import { startsOf } from '../words/term-index.ts';

/** What a passage offers, as bits; the first ones are those of its signs. */
export const OFFERS = {
  name: SIGNS.hasNames,
  number: SIGNS.isNumber,
  date: SIGNS.isDate,
  task: SIGNS.isTask,
  preference: SIGNS.isPreference,
  harm: SIGNS.isHarm,
  code: 64,
  /** Of the assistant. */
  advice: 128,
} as const;
/** What a passage offers alone, whatever its turn says. */
const OFFERED_ALONE = OFFERS.name | OFFERS.number | OFFERS.date | OFFERS.task | OFFERS.preference;

export interface SessionColumns extends Pick<
  SessionAnalysis,
  'signs' | 'kinds' | 'worths' | 'units' | 'amounts'
> {
  /** By turn: when it was said, by the order of the turns if the clock went back a little. */
  readonly sinces: Float64Array;
  /**
   * By turn: its time by its speaker's clock, whether a user or another person said it, its number
   * of terms.
   */
  readonly ats: Float64Array;
  readonly isUser: Uint8Array;
  readonly lengths: Uint32Array;
  /** By turn: the total length of its passages, in UTF-16 code units. */
  readonly turnUnits: Uint32Array;
  /** By turn, and one more entry for the end: where its own terms begin in the index. */
  readonly ownStarts: Uint32Array;
  /** By passage: its turn, and what it offers (bits of `OFFERS`). */
  readonly turnOf: Uint32Array;
  readonly offers: Uint8Array;
  /** By passage: what its turn settles about writing, since people state such rules together. */
  readonly writing: Uint16Array;
  /** By passage: the domains of life that it is about, as the bits of `domainsNamed`. */
  readonly domains: Uint16Array;
  /** By passage: whether a user only asks, and whether it may tell of a change. */
  readonly asks: Uint8Array;
  readonly mayChange: Uint8Array;
  /** By passage, and one more entry for the end: where its amounts begin in `amounts`. */
  readonly amountStarts: Uint32Array;
  /** How much its assistant and its user talk like two people. */
  readonly assistant: AssistantTurns;
  /** Number of terms of all turns, speakers included. */
  readonly length: number;
  readonly span: { readonly from: number; readonly to: number };
}

/** The turns of a session, and where the terms of its passages begin. */
interface SaidTurns {
  readonly turns: readonly {
    readonly turn: Pick<Turn, 'sessionId' | 'at' | 'utcOffset' | 'role' | 'speaker'>;
    readonly since: number;
    /** Range of its passages, and number of its terms. */
    readonly first: number;
    readonly end: number;
    readonly length: number;
  }[];
  readonly turnOf: Uint32Array;
  readonly ownStarts: Uint32Array;
}

export function sessionColumns(
  { turns, turnOf, ownStarts }: SaidTurns,
  analysis: SessionAnalysis,
): SessionColumns {
  const { signs, forms, kinds, worths, units, amounts, amountCounts } = analysis;
  const ats = Float64Array.from(turns, ({ turn }) => localTime(turn));
  const isUser = Uint8Array.from(turns, ({ turn }) => Number(turn.role === 'user'));
  const lengths = Uint32Array.from(turns, ({ length }) => length);
  // "She can't have nuts. With me it's latex.": the second sentence is about the first one's topic.
  const isHarmful = new Uint8Array(turns.length);
  const writing = new Uint16Array(turns.length);
  for (const [place, turn] of turnOf.entries()) {
    if (((signs[place] ?? 0) & SIGNS.isHarm) > 0) isHarmful[turn] = 1;
    writing[turn] = (writing[turn] ?? 0) | (analysis.writing[place] ?? 0);
  }
  return {
    signs,
    kinds,
    worths,
    units,
    amounts,
    ats,
    sinces: Float64Array.from(turns, ({ since }) => since),
    isUser,
    lengths,
    turnOf,
    turnUnits: Uint32Array.from(turns, ({ first, end }) =>
      units.subarray(first, end).reduce((sum, each) => sum + each, 0),
    ),
    ownStarts: Uint32Array.from({ length: turns.length + 1 }, (_, turn) => {
      return ownStarts[turns[turn]?.first ?? turnOf.length] ?? 0;
    }),
    offers: Uint8Array.from(turnOf, (turn, place) => {
      const code = ((forms[place] ?? 0) & FORMS.code) > 0 ? OFFERS.code : 0;
      const harm = isHarmful[turn] === 1 ? OFFERS.harm : 0;
      const isAdvice = isUser[turn] === 0 && ((forms[place] ?? 0) & FORMS.advice) > 0;
      const alone = (signs[place] ?? 0) & OFFERED_ALONE;
      return alone | code | harm | (isAdvice ? OFFERS.advice : 0);
    }),
    writing: Uint16Array.from(turnOf, (turn) => writing[turn] ?? 0),
    domains: domainsOf(analysis),
    asks: Uint8Array.from(turnOf, (turn, place) =>
      Number(isUser[turn] === 1 && ((forms[place] ?? 0) & FORMS.question) > 0),
    ),
    mayChange: signs.map((told) => Number((told & SIGNS.mayChange) > 0)),
    amountStarts: startsOf(amountCounts),
    assistant: assistantTurns({ turns, turnOf, ownStarts }, forms),
    length: lengths.reduce((sum, length) => sum + length, 0),
    span: {
      from: ats.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY),
      to: ats.reduce((most, at) => Math.max(most, at), Number.NEGATIVE_INFINITY),
    },
  };
}

/** From this share of the assistant's turns on, a session is about software. */
const SOFTWARE_SHARE = 0.2;
const NO_TURNS: AssistantTurns = { turns: 0, ofOwnLife: 0, userTurns: 0, asking: 0 };

/**
 * Returns no turns for a session in which an assistant works: with tools, or on software; and none
 * for the line of a file, whose speaker is the file.
 */
function assistantTurns({ turns, turnOf }: SaidTurns, forms: Uint8Array): AssistantTurns {
  const formsOf = new Uint8Array(turns.length);
  for (const [place, turn] of turnOf.entries()) {
    formsOf[turn] = (formsOf[turn] ?? 0) | (forms[place] ?? 0);
  }
  const roles = turns.map(({ turn }) => turn.role);
  const count = (role: Turn['role'], bit: number): number =>
    roles.filter((each, turn) => each === role && ((formsOf[turn] ?? 0) & bit) > 0).length;
  const ofRole = (role: Turn['role']): number => roles.filter((each) => each === role).length;
  const own = ofRole('assistant');
  const isAtWork = ofRole('tool') > 0 || count('assistant', FORMS.software) > SOFTWARE_SHARE * own;
  if (turns.some(isLine) || isAtWork) return NO_TURNS;
  return {
    turns: own,
    ofOwnLife: count('assistant', FORMS.ownLife),
    userTurns: ofRole('user'),
    asking: count('user', FORMS.asksAboutOther),
  };
}

/** Returns the columns of a session whose assistant is a person. */
export const columnsOfPeople = oncePer(
  ({ columns, turns }: Pick<SaidTurns, 'turns'> & { readonly columns: SessionColumns }) => ({
    ...columns,
    isUser: Uint8Array.from(turns, ({ turn }) => Number(turn.role !== 'system')),
    offers: columns.offers.map((offered) => offered & ~OFFERS.advice),
  }),
);

function domainsOf({ words, lengths, terms }: SessionAnalysis): Uint16Array {
  const ofWords = Uint16Array.from(words, domainsNamed);
  let next = 0;
  return Uint16Array.from(lengths, (length) => {
    let domains = 0;
    for (const end = next + length; next < end; next += 1) {
      domains |= ofWords[terms[next] ?? 0] ?? 0;
    }
    return domains;
  });
}
