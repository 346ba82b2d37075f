/** Rules of extraction for English: homes, employers and people that people name in passing. */
import { MONTHS, WEEKDAYS } from '../../text/calendar-words.ts';
import { oneOf } from '../../text/pattern.ts';
import { namesOf, personsOf, type Rule, ruleMakers } from '../rule.ts';
import { AND_MORE, AND_NO_MORE, BY_NOW, EMPLOYER, NOT_OF_WORK, OF_HOME, TOWN } from './en-names.ts';
import { NAMED } from './en-nouns.ts';
import { JOB_AND_HOME_CHANGES } from './job-and-home-changes.ts';
import { TAKEN_BACK } from './taken-back.ts';

const WE_MOVED =
  "[Ww]e(?:['’]ve| have)?(?: just| recently| finally| now)* (?:moved|relocated)(?: back)? to";
const SINCE = oneOf(`
  [Ss]ince (?:the|our|my)(?: \\w+)? move to, [Ss]ince (?:moving|relocating) to,
  [Ss]ince (?:we|I)(?:['’]ve| have)? (?:moved|relocated) to
`);

const rule = ruleMakers({
  DAYS: WEEKDAYS.en,
  MONTHS: MONTHS.en,
  EMPLOYER,
  TOWN,
  THERE: NOT_OF_WORK + BY_NOW,
  HOMELY: OF_HOME,
  PERSON: namesOf(personsOf(NAMED)),
  TITLE: oneOf('Dr\\.?, Mrs?\\.?, Ms\\.?, Prof\\.?'),
  SINCE,
  NEW: '(?:(?:lovely|little|big|own|very own|brand)[ -])*new',
  BUILT: oneOf('flat, house, apartment, place, home, cottage, bungalow, condo'),
});

/** Moves to what may be a town: alone, they only mark a known home. */
export const MAYBE_MOVED = [
  `${WE_MOVED} ${TOWN}${AND_NO_MORE}`,
  `(?:${SINCE}|[Aa]fter (?:(?:the|our|my)(?: \\w+)? move|moving|relocating) to) ${TOWN}`,
].map((moved) => `^${NOT_OF_WORK}${BY_NOW}.*?(?<!\\p{L})${moved}`);

export const EN_IN_PASSING: readonly Rule[] = [
  rule.teaches(
    String.raw`(?<!\p{L})I(?:['’]m)?(?: now)? teach(?:ing)?(?: \p{L}+)? (?:at|in) (?:an? |the )?` +
      String.raw`(?<value>(?:[\p{L}'’-]+ ){0,3}` +
      String.raw`(?:[Ss]chool|[Cc]ollege|[Uu]niversity|[Aa]cademy|[Kk]indergarten))(?!\p{L})`,
  ),
  // `We moved to Postgres` says nothing of a home.
  rule.residence(`^{THERE}{HOMELY}.*?(?<!\\p{L})${WE_MOVED} {TOWN}${AND_MORE}`),
  rule.residenceInPassing('^{THERE}{HOMELY}.*?(?<!\\p{L}){SINCE} {TOWN}'),
  rule.residenceInPassing(
    '^{THERE}.*?(?<!\\p{L})(?:[Mm]y|[Oo]ur) {NEW} (?:\\w+ )?{BUILT} in {TOWN}',
  ),
  rule.residenceInPassing(
    '^{THERE}.*?\\b[Uu]npack\\w*\\b.*? (?:the|our|my) {NEW} (?:\\w+ )?{BUILT} in {TOWN}',
  ),
  rule.employerInPassing(
    '^{THERE}.*?\\b[Ss]ince (?:joining|starting(?: work)? at|I (?:start(?:ed)?|work(?:ed)?)' +
      '(?: work(?:ing)?| my new job)? (?:at|for|with)) (?:the )?' +
      '{EMPLOYER}',
  ),
  rule.employerInPassing(
    '^{THERE}.*?(?<!\\p{L})[Mm]y new (?:job|position|role|employer|gig),?(?: at| with)? ' +
      '{EMPLOYER}',
  ),
  rule.theOneInPassing(
    '(?<!\\p{L})(?:[Mm]y|[Oo]ur) new (?<thing>{PERSON}),? (?!{DAYS}|{MONTHS}|I(?!\\p{L}))' +
      '(?<value>(?:{TITLE} )?\\p{Lu}\\p{Ll}[\\p{L}-]*(?: \\p{Lu}\\p{Ll}[\\p{L}-]*)?)',
  ),
  ...TAKEN_BACK.en,
  ...JOB_AND_HOME_CHANGES.en,
];
