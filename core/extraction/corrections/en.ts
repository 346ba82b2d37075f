/** How people say in English that something no longer holds. */
import { MONTHS, WEEKDAYS } from '../../text/calendar-words.ts';
import { anyWholeWord, oneOf } from '../../text/pattern.ts';
import { byWord, wordSet } from '../../text/word-lists.ts';
import { correctionMaker, RULE_OPTIONS, type CorrectionBook } from '../correction-book.ts';
import { IN_PASSING } from './medicines-and-events.ts';
import { MAYBE_MOVED } from '../rules/en.ts';

const NAME = String.raw`\p{Lu}[\p{L}'’-]+(?:\s\p{Lu}[\p{L}'’-]+)?`;
const USE = anyWholeWord(`
  use, uses, using, run, runs, is, are, have, has, with, on, by, from, drive, bank, pay, order, buy
`);
const HABIT = anyWholeWord(String.raw`
  work\w*, job, employ\w*, intern, member, gym, club, course, class, play\w*, stud\w+, train\w*,
  learn\w*, smok\w+, drink\w*, eat\w*, take, takes, taking, go, goes, teach\w*, run, runs, do,
  does, practi[cs]e, attend, sit, sits, serve, serves, read, write, writing, vape, sing, use, uses,
  follow, watch, am, is, coach, coaches, lead, leads, manage, manages, chair, chairs, host, hosts,
  captain, edit, edits,
  [\p{L}]+['’]m
`);
const DWELL = anyWholeWord('live, lives, living, reside, resides, based, home');
const POSSESS = anyWholeWord(`
  have, has, own, owns, drive, drives, ride, rides, keep, keeps, (?:my|our|the) [\\w-]+ (?:is|are)
`);
/** Words that end a phrase where no comma does. */
const AFTER = 'and, but, so, because, since, after, before, last, this, for, when, yesterday, now';
/** What people have several of, so that a new one ends no other. */
const MANY = 'dog, cat, friend, colleague, neighbou?r, child, project, book, idea';
const PHRASE_AFTER = `${AFTER}, in, recently, completely, again, with, from, at, to, by`;
const KIN = `
  brother, sister, mother, mum, mom, father, dad, parents, son, daughter, kids?, children, wife,
  husband, partner, boyfriend, girlfriend, friend, colleague, cousin, aunt, uncle, roommate,
  neighbou?r, grand\\w+, niece, nephew
`;
/** Names somebody who does something for the speaker, such as a boss or a doctor. */
const SERVES = String.raw`\bis (?:my|our) (?!${oneOf(KIN)})|^(?:my|our) (?!${oneOf(KIN)})\w+ is\b`;
/** Says that somebody works toward something or waits for it. */
const PURSUIT = anyWholeWord(String.raw`
  (?:study|train|revis|prepar|apply|look|wait|hunt)ing for, on the waiting ?list for, reading,
  applied (?:to|for), writing, working on, building, renovating, trying to (?:find|finish|pass)
`);
/** What follows `go` when somebody comes back, as from an errand. */
const ERRAND = '(?:of|out|outside|in|home|for|on|first|to (?:the|bed|school|my))';
const BOSS = 'boss|manager|supervisor|team lead';
const MONTH = '(?:last |New |Jan|Feb|Mar|Apr|May|June|July|Aug|Sep|Oct|Nov|Dec|I )';
const COUPLE = anyWholeWord(`
  boyfriend, girlfriend, partner, fiancée?, husband, wife, dating, together, married, engaged
`);

/** A day or a time, as the older sentence gives it. */
const DATED = String.raw`^(?=.*(?:\d|\p{Lu}\p{Ll}+day\b)).*?`;
/** Before a change that did not happen. */
const DENIED =
  String.raw`(?:^|[,;]\s)(?:but |and |so )?(?:I|[Ww]e)` +
  String.raw`(?: did not| didn['’]t| have not| haven['’]t)(?: actually| really)? `;
const IN_THE_END = String.raw`(?: (?:in the end|after all|at all|yet|anywhere|house))?(?=[.,;!]|$)`;
const WITHOUT_NOT = String.raw`^(?!.*(?:n['’]t|\bnot)\b).*?`;
/** How people say with whom an appointment is, as group `who`. */
const APPOINTMENTS = [
  String.raw`\b(?<who>\w+)(?:['’]s)? (?:appointment|visit|check-?up|session|slot|consultation)\b`,
  String.raw`\b(?:appointment|visit|check-?up|session|slot) (?:with|at) (?:the|my|our) (?<who>\w+)`,
  String.raw`\b(?:see|seeing) (?:the|my|our) (?<who>\w+) (?:on|at)\b`,
  String.raw`\b(?<who>haircut)\b`,
];

const { pattern, gone, state, stateOf } = correctionMaker({
  NAME,
  WHO:
    String.raw`(?:(?:I|[Ww]e|[Tt]he user)(?:['’](?:ve|m|re))?|` +
    String.raw`(?<who>${NAME}|(?:[Mm]y|[Oo]ur) \w+))` +
    String.raw`(?:\s${oneOf('have, has, had, am, is, are, just, finally, recently, now')})*\s`,
  ITS: `${oneOf('[Tt]he, [Mm]y, [Oo]ur')} `,
  GONE:
    String.raw`(?!(?:at|by|in|for|to|over)\s)` +
    String.raw`(?:${oneOf('my, our, the, an?, his, her, job at, working (?:at|for), on')}\s)*` +
    String.raw`(?<gone>[^.,;:!?()\s][^.,;:!?()]{1,40}?)(?=\s*(?:[.,;:!?()–—]|$)|` +
    String.raw`\s${anyWholeWord(PHRASE_AFTER)})`,
  PLAN: String.raw`(?<gone>[^.,;:!?]{3,50}?)(?=[.,;:!?]|$|\s${anyWholeWord(AFTER)})`,
  AS: '(?: as (?<as>[^.,;:!?]{3,40}))?',
  THING: String.raw`(?<thing>[\w'’-]+(?:\s[\w'’-]+){0,3}?)`,
  TO:
    String.raw`(?:\s(?:back|up|down|forward|out|now))*(?:\sfrom\s.{1,20}?)?` +
    String.raw`\s(?:to|until)\s(?<value>[^.;!?]{1,40})`,
  /** A new day or time, to which something is moved, with no word behind it: `Monday drinks`. */
  DAY:
    String.raw`(?<when>(?:next\s|the\s)*` +
    String.raw`(?:${WEEKDAYS.en}|` +
    String.raw`${MONTHS.en} \d{1,2}|\d{1,2}(?:st|nd|rd|th)|\d{1,2}(?:[:.]\d\d)? ?[ap]m|noon)` +
    String.raw`(?: (?:of )?${MONTHS.en})?)` +
    String.raw`(?=[.,;:!?]|$|` +
    String.raw`\s${oneOf('at, in, because, since, so, and, as, this, instead, now')}\b)`,
  /** Verbs that say that an appointment is at another time. */
  MOVES: anyWholeWord(`
    pushed, push, moved, move, rescheduled, reschedule, shifted, shift, bumped, bump, postponed,
    postpone, brought, bring, switched, switch, changed, change
  `),
  /** Verbs of what lasts until a day. */
  LASTS: oneOf(
    'runs?, lasts?, stays?, continues, goes, is, are, was, were, open, closed, from, not',
  ),
  BEEN: String.raw`(?:${oneOf('has, have, was, were, is, are, been, got, gets, being, now')}\s)*`,
  CUT: anyWholeWord(`
    cut, raised, reduced, lowered, increased, bumped, moved, pushed, shifted, rescheduled,
    postponed, delayed, extended, changed, upgraded, downgraded, relocated, renamed, doubled,
    halved, set, brought, switched, slashed, trimmed, put, upped, hiked, lifted, nudged, knocked,
    scaled, dialed, cranked, jacked, took, renewed
  `),
  WENT: anyWholeWord(`
    went, gone, dropped, fell, fallen, rose, risen, climbed, slipped, grew, grown, shrank, shrunk,
    jumped, moves?, moved, is, are
  `),
  QUIT: oneOf(`
    quit, resigned (?:from|as), retired (?:from|as), bowed out of, walked away from, swore off,
    parted ways with, unsubscribed from, opted out of, gave notice at, cut out,
    out of(?= (?:[Tt]he )?\\p{Lu}), stepped down (?:from|as), abandoned, withdrew from,
    pulled out of,
    stopped, g[ai]ven? up, dropped out of, done with, off,
    (?:was |been |got )?(?:fired|laid off) (?:by|from)
  `),
  SOLD: oneOf(`
    sold, got rid of, gave away, traded in, scrapped, totall?ed, lost, donated, parted with,
    rehomed, let go of, passed on, wrecked
  `),
  PAID: oneOf('paid off, settled, cleared, made the (?:last|final) payment on'),
  /** Not done for a long time. */
  IDLE:
    String.raw`haven['’]t (?:touched|had|used|played|been to|gone to|set foot in)(?=\s.*\s` +
    String.raw`(?:in (?:\w+ )?(?:weeks|months|years|ages|forever)|since ${MONTH}))` +
    String.raw`(?:\s(?:any|to))?`,
  CANCELLED: oneOf(`
    cancell?ed, ended, terminated, closed, axed, canned, discontinued, did away with, shut down,
    pulled the plug on, called time on
  `),
  DROPPED: String.raw`dropped(?!.*\b(?:again|but|still|off|into?|at)\b)`,
  BROKE: oneOf('dropped, lost, broke, smashed, cracked, crashed, fried, drowned'),
  /** A later clause that says what somebody has or uses from now on. */
  ANEW:
    String.raw`(?=.*(?:,|\sso|\sand)\s.*\b(?:` +
    oneOf(`
      I['’]m (?:on|using|driving|with), (?:writing|typing|calling|texting) .*(?:from|on),
      got, bought, have, using, switched to
    `) +
    String.raw` (?:an?|my)\b))`,
  /** Says that somebody has left a job or moved away. */
  LEFT: oneOf(`
    retired, resigned, quit(?=[.,;!?]| (?:on|last|in|her|his|their)\\b), emigrated, stepped down,
    moved (?:away|abroad), went off to (?:college|university|uni|live|work),
    (?:was|got|been) (?:fired|let go|laid off), took early retirement, threw in the towel,
    hung up (?:her|his|their) \\w+, packed it in, closed (?:her|his|their) practice,
    left (?:us|the (?:company|team|firm|practice|country))
  `),
  PARTED: oneOf(`
    broke up, (?:have |are )?split, separated, are no longer, parted ways, ended things,
    called it quits, got divorced, went our separate ways, are (?:done|over)
  `),
  DIED: oneOf('died, passed away, ran away, ran off'),
  SINCE: String.raw`(?:^|[,;]\s|(?:[Ss]ince|[Aa]fter)\s)`,
  LATER: String.raw`(?!.*\b(?:yesterday|early|late|at (?:\d|noon|four|five|six)|this|for))`,
  COMMUTE:
    `${oneOf('cycle, bike, walk, drive, run, commute, take the \\w+, go')} ` +
    String.raw`(?:\w+ \w+ )?to work`,
});

export const EN_CORRECTIONS: CorrectionBook = {
  gone: [
    gone(String.raw`{WHO}(?:{QUIT}|left(?=\s){LATER}|{IDLE})\s{GONE}`, HABIT),
    gone(String.raw`{WHO}{CANCELLED}\s{GONE}`, `${HABIT}|${USE}`),
    gone(String.raw`{WHO}(?:called off|cancell?ed|scrapped|shelved)\s{ITS}{PLAN}`, '', {
      isWhole: true,
      ofSpeaker: false,
    }),
    gone(
      String.raw`{WHO}(?:{SOLD}\s(?!.*\b(?:new|better|another) one\b)|{PAID}\s|{BROKE}\s{ANEW})` +
        '{GONE}',
      `${POSSESS}|\\b(?:owe|pay)`,
    ),
    gone(
      String.raw`(?:^|,\s){ITS}(?<gone>[\w-]+(?: [\w-]+)?) (?:(?:is|was|got|has been) )?` +
        oneOf('gone, sold, stolen, died, passed away, ran away'),
      POSSESS,
    ),
    gone(
      String.raw`{WHO}(?:replaced|swapped|traded|ditched|fired|dismissed|dumped|{DROPPED})\s{GONE}`,
      USE,
    ),
    gone(
      String.raw`{WHO}(?:switched|moved|migrated|changed|went|converted) (?:over )?from\s` +
        String.raw`(?<gone>[^.,;:!?]{2,30}?) to\s`,
      `${USE}|${DWELL}`,
    ),
    // The one before is named first: `Kerax let us down, so we've moved over to Cargill`.
    gone(
      String.raw`(?<gone>{NAME})(?: [^.;!?]{1,60}?)?(?:,| so| and) (?:so |and )?` +
        String.raw`(?:I|[Ww]e)(?:['’]ve| have)?(?: now| just)* ` +
        String.raw`(?:switched|moved|gone|changed)(?: over)? to \p{Lu}`,
      USE,
      RULE_OPTIONS.anybody,
    ),
    gone(
      String.raw`(?:changed|changing) (?:my|our) minds? (?:about|on) {GONE}`,
      `${HABIT}|${USE}`,
      RULE_OPTIONS.anybody,
    ),
    gone(
      `{NAME} ${oneOf('(?:has taken|took) over from, (?:has )?replace[ds], succeed(?:s|ed)')}` +
        ' (?<gone>{NAME}){AS}',
      USE,
      RULE_OPTIONS.anybody,
    ),
    gone(
      String.raw`{WHO}(?:let|handed|passed)\s(?:(?:my|our|the)\s)?(?<gone>[^.,;:!?]{2,30}?) ` +
        String.raw`(?:go(?! ${ERRAND})|over|on to|down to)(?!\p{L})`,
      `${POSSESS}|${HABIT}`,
    ),
    gone(
      String.raw`(?:{NAME}|[Mm]y \w+) ${oneOf('has, owns, drives, rides, keeps')} ` +
        '(?:the|my|our) (?<gone>[^.,;:!?]{2,30}?) (?:now|these days)',
      POSSESS,
    ),
    gone(`{SINCE}(?:(?:my|our)\\s)?(?<gone>{NAME}) (?:has |just )*{DIED}`, POSSESS),
    gone(
      '{SINCE}(?<gone>{NAME}) (?:has |have |just |recently )*{LEFT}(?!\\p{L})',
      SERVES,
      RULE_OPTIONS.anybody,
    ),
    gone(
      String.raw`(?:^|,\s){ITS}(?<gone>[\w-]+(?: [\w-]+)?) (?:has |just )*` +
        '(?:(?:closed|shut) (?:down|its doors|for good)|went (?:bust|under|out of business))',
      `${HABIT}|${USE}`,
    ),
    gone(
      String.raw`(?:{WHO}|who )(?:passed|finished|completed|aced|found|landed|` +
        String.raw`got (?:into|(?:a )?(?:place|spot|seat) (?:at|in)))\s{GONE}`,
      PURSUIT,
    ),
    gone('(?<gone>{NAME}) and I (?:{PARTED})(?! (?:an?|the) )', COUPLE, RULE_OPTIONS.kin),
    gone(
      'I (?:broke up with|divorced|separated from|left) (?<gone>{NAME})',
      COUPLE,
      RULE_OPTIONS.kin,
    ),
    gone(
      String.raw`(?:^|,\s)(?<gone>{NAME}) (?:has |just )*moved out`,
      anyWholeWord('share, shares, flatmate, roommate, live, lives, living'),
      RULE_OPTIONS.kin,
    ),
    gone(
      String.raw`(?:\sinstead of|\srather than|,\s(?:and )?not|\sno longer)\s` +
        String.raw`(?:(?:in|on|at|by|the|as|an?)\s)*(?<gone>[^.,;:!?]{1,30}?)(?=[.,;:!?]|$)`,
      '',
      RULE_OPTIONS.replaced,
    ),
    gone(
      `^${oneOf('[Ff]orget(?: about)?, [Ss]cratch, [Nn]ever ?mind, [Ii]gnore, [Ss]crap')}` +
        String.raw`\s(?:the |my )?(?<gone>[^.,;:!?–—]{2,30})[.,;:!–—]`,
      '',
      RULE_OPTIONS.replaced,
    ),
    ...IN_PASSING.en.gone,
  ],
  set: [
    pattern(String.raw`{ITS}{THING}\s{BEEN}(?:{CUT}|{WENT}){TO}`),
    pattern(
      String.raw`^(?<thing>\p{L}[\p{L}-]+)(?:['’]s)?\s{BEEN}{CUT} (?:to|until) ` +
        String.raw`(?<when>[^.;!?]{1,30})`,
    ),
    pattern(
      String.raw`(?:I|[Ww]e|[Tt]hey|[Hh]e|[Ss]he|(?:[Tt]he|[Mm]y) \w+|{NAME})(?:['’]ve)?\s` +
        String.raw`(?:(?:have|has|had to)\s)?{CUT}\s{ITS}{THING}{TO}`,
    ),
    pattern(
      String.raw`(?:I|[Ww]e|[Tt]hey|{NAME})(?:['’]ve)?\s` +
        String.raw`(?:${oneOf('have, has, had to, need to, are going to')}\s)?` +
        String.raw`(?!{LASTS}\s)[a-z]+ {ITS}{THING}(?:\s(?:back|up|out|forward|on|over))* to {DAY}`,
    ),
    pattern(
      String.raw`(?:^|[,:]\s){ITS}{THING}\s(?!{LASTS}\s)[a-z]+` +
        String.raw`(?:\s(?:back|up|out|forward|on|over))* to {DAY}`,
    ),
    pattern(String.raw`\s(?:is|are) now {ITS}(?!${oneOf(MANY)}){THING}(?=[.,;!]|$)`),
    pattern(String.raw`\s(?:is|are) {ITS}(?!${oneOf(MANY)}){THING} now(?=[.,;!]|$)`),
    pattern(
      String.raw`(?:[Ww]e|I|[Tt]hey)(?:['’](?:re|m)| are| am) (?:now )?(?:doing|having|holding) ` +
        String.raw`{ITS}{THING} (?:in|at|on|by) (?!noon|midnight)(?<place>[^.;!?]{1,40})`,
    ),
    pattern(
      '{ITS}{THING} (?:now )?(?:happens|takes place|meets|runs|is held|comes) (?:on |at )?' +
        '(?<when>[^.,;!?]{1,30}) (?:now|these days|nowadays)',
    ),
    pattern('{ITS}new {THING} (?:is|are|will be)(?![\\p{L}])'),
    pattern(
      String.raw`(?:I|[Ww]e)(?:['’]ve| have)?(?: got| have)? a new ` +
        `(?!${oneOf(MANY)})` +
        '(?<thing>[\\w-]+(?: \\w+)?)(?=[.,;:!?]|$)',
    ),
  ],
  states: [
    // A change that did not happen.
    state(
      `${DENIED}(?:moved?|relocated?)${IN_THE_END}`,
      String.raw`^(?:I|We)(?:['’]ve| have| just| finally| recently)* (?:moved|relocated) to\b`,
      RULE_OPTIONS.certain,
    ),
    state(
      `${DENIED}(?:(?:switch|switched|changed?) (?:jobs|companies|employers)|` +
        `(?:take|taken|get|got) the job)${IN_THE_END}`,
      String.raw`^I(?:['’]ve| have| just| finally| recently)* ` +
        String.raw`(?:joined|started (?:at|with)|switched to)\b`,
      RULE_OPTIONS.certain,
    ),
    state(
      String.raw`(?:^|[,;]\s)(?<who>I|{ITS}\w+|{NAME})(?:['’]ve| have| has| just| finally)* ` +
        String.raw`turned (?<value>\d{1,3})(?! (?!today)\w)`,
      String.raw`^(?<who>I|{ITS}\w+(?: {NAME})?|{NAME})(?: am|['’]m| is|['’]s) ` +
        String.raw`(?<value>\d{1,3})(?: years? old)?(?=[.,!]|$| and )`,
    ),
    // One more child: `Our third was born`.
    state(
      String.raw`(?:\b[Oo]ur|\b[Mm]y) (?:second|third|fourth|fifth|youngest|new|little)\b.*` +
        String.raw`\b(?:born|arrived)\b`,
      String.raw`^(?:I|We)(?:['’]ve got| have| got) (?:\w+ )?` +
        String.raw`(?:kids?|child(?:ren)?|sons?|daughters?)\b`,
    ),
    state(
      String.raw`(?<who>{ITS}[\w-]+(?: [\w-]+)?) (?:is|has been|was|got)(?: now)? ?` +
        oneOf('fixed, repaired, mended, replaced, working'),
      String.raw`^(?<who>{ITS}[\w-]+(?: [\w-]+)?) (?:is|has been) ` +
        oneOf('broken, down, out of order, faulty'),
    ),
    state(
      String.raw`\bI(?:['’](?:m|ve)| am| have)?(?: now| gone| went| got| dropped| fell)*` +
        String.raw`(?: down| up)? to [\d.,]+ (?<who>\p{L}+)`,
      String.raw`^I(?:(?: (?!have|own)\p{L}+|['’]m)(?: \d{1,3},)?) [\d.,]+ (?<who>\p{L}+)`,
    ),
    state(
      String.raw`\b(?:I|[Ww]e)(?: just|['’]m| am|['’]ve)? (?:got |been )?(?:married|engaged)\b`,
      String.raw`^I(?:['’]m| am) (?:single|divorced|unmarried)\b`,
    ),
    state(
      String.raw`\b(?<who>I|[Mm]y \w+|{NAME})(?:['’]ve| has| have| just| finally)* ` +
        String.raw`(?:got|landed|found|started|took)(?: an?| my| the)?(?: new)? ` +
        `${oneOf('job, gig, position, post')}(?!\\p{L})`,
      String.raw`^(?<who>I|My \w+(?: {NAME})?|{NAME})(?:['’]m| am| is|['’]s) ` +
        String.raw`(?:unemployed|out of work|jobless|between jobs|job.hunting|` +
        '(?:looking|hunting) for (?:a )?(?:job|work))',
    ),
    state(
      String.raw`\bI (?:now )?(?:answer|report) to (?<value>{NAME})`,
      // One group for a name behind or in front: Node 22 allows no two groups of the same name.
      `^(?:(?:My (?:${BOSS}) is|I (?:answer|report) to) |(?={NAME} is my (?:${BOSS})))` +
        '(?<value>{NAME})',
    ),
    state(
      String.raw`(?<who>\w+) (?:allergy|intolerance) (?:was|is|turned out(?: to be)?) (?:an? )?` +
        oneOf('misdiagnosis, mistake, false alarm, wrong, gone, never real'),
      String.raw`\ballergic to (?<who>\w+)`,
    ),
    state(
      String.raw`(?<who>\bI|[Mm]y \w+|{NAME}) (?:now )?(?:wants? to (?:be|become)|` +
        String.raw`ha(?:s|ve) (?:her|his|my) heart set on(?: becoming| being)?) ` +
        '(?<value>[^.,;!?]+)',
      String.raw`^(?<who>I|My \w+|{NAME}) wants? to (?:be|become) (?<value>[^.,;!?]+)`,
    ),
    state(
      String.raw`\bI (?:finally |now )?(?:have|got|found|moved into) my own ` +
        oneOf('place, flat, apartment, house'),
      String.raw`^I(?:['’]m| am)? (?:live|living|share an? \w+|rent an? room) with`,
    ),
    state(
      String.raw`\bI(?:['’]ve| have)?(?: just)? graduated\b`,
      String.raw`^I(?:['’]m| am) a student|^I study\b`,
    ),
    state(
      String.raw`\bI\b.*\beat(?:ing)? .{0,20}\b` +
        String.raw`(?:meat|fish|chicken|cheese|eggs|dairy)\b.*\bagain\b`,
      String.raw`^I(?:['’]m| am) (?:an? )?(?:strict )?(?:vegan|vegetarian)|` +
        String.raw`^I (?:stopped|gave up|quit|don['’]t|never|no longer) eat`,
    ),
    state(
      String.raw`\bI (?:haven['’]t (?:smoked|(?:had|touched) a cigarette)|` +
        '(?:quit|stopped) smoking)',
      String.raw`^I smoke\b`,
    ),
    state(String.raw`\bI (?:now )?{COMMUTE}\b.*\b(?:now|these days|instead)\b`, '^I {COMMUTE}\\b'),
    state(
      String.raw`(?<who>(?:[Mm]y|[Oo]ur|[Tt]he) \w+) (?:has |have )?(?:started at \p{Lu}|` +
        String.raw`(?:switched|transferred) to \p{Lu}|(?:changed|moved) to \p{Lu}.*School)`,
      String.raw`^(?<who>(?:My|Our|The) \w+) (?:go(?:es)? to|attends?|(?:is|are) at) \p{Lu}.*` +
        oneOf('School, Primary, Academy, Kindergarten'),
    ),
    ...MAYBE_MOVED.map((moved) => stateOf('residence', moved)),
    state(
      String.raw`\b[Mm]y new partner,? (?<value>\p{Lu}\p{Ll}+)`,
      String.raw`^My partner(?:['’]s name)? is (?:called )?(?<value>\p{Lu}\p{Ll}+)`,
    ),
    ...APPOINTMENTS.map((older) =>
      state(
        String.raw`(?:[Tt]he|[Mm]y|[Oo]ur) (?<who>\w+)(?: has| had to| have| just| needs to)* ` +
          String.raw`{MOVES} (?:it|me|us|` +
          String.raw`(?:the|my|our) (?:appointment|visit|session|check-?up|slot))` +
          String.raw`(?: (?:back|forward|up|out))*(?: from .{1,20}?)? to (?:next |the )*` +
          String.raw`(?<value>\d{1,2}(?:st|nd|rd|th)|${MONTHS.en} \d{1,2}|` +
          String.raw`\p{Lu}\p{Ll}+day|\d{1,2}(?:[:.]\d\d)? ?[ap]m)(?!\p{L})`,
        DATED + older,
        RULE_OPTIONS.certain,
      ),
    ),
    state(
      String.raw`${WITHOUT_NOT}\b[Mm]y allergy (?:\w+ )?tests? .*\b(?:negative|clear)\b`,
      String.raw`^I\b.*\ballerg(?:y|ic)\b`,
      RULE_OPTIONS.inPart,
    ),
    state(
      String.raw`${WITHOUT_NOT}\b(?<who>\w{3,}?)s? allergy (?:\w+ )?tests? ` +
        String.raw`.*\b(?:negative|clear)\b`,
      String.raw`^I\b.*\b(?:allergic to (?<who>\w{3,}?)s?)(?!\w)`,
      RULE_OPTIONS.inPart,
    ),
    ...IN_PASSING.en.states,
  ],
  own: /^(?:(?:so|well|actually|also|by the way),?\s)?(?:I|we|my|our|the user)(?!\p{L})/iu,
  kin: new RegExp(String.raw`^(?:my|our) (?:\w+ )?${anyWholeWord(KIN)}`, 'iu'),
  determiner: /^(?:(?:so|well|actually|also|by the way),?\s)?(?:(?:the|my|our)\s)?/iu,
  verb: /^(?:are|have|will|can|was|is|has|[a-z]{2,}[^s]s)$/u,
  bare: new RegExp(
    String.raw`^(?=(?:[Ff]inally |[Jj]ust |[Rr]ecently )?(?:\p{Lu}?\p{Ll}+ed|` +
      oneOf(`
        [Ss]old, [Qq]uit, [Gg]ave, [Gg]ot, [Ll]et, [Ll]ost, [Ll]eft, [Bb]roke, [Ss]wore, [Cc]ut,
        [Hh]aven['’]t, [Pp]ut, [Tt]ook, [Ff]ound, [Mm]ade, [Pp]aid
      `) +
      String.raw`)\s)`,
    'u',
  ),
  amount: new RegExp(
    String.raw`^(?:I|we) (?:pay|take|use|drink|eat|charge|earn|get) (?:about |around )?` +
      String.raw`(?<value>.{1,30}?) (?:for|in|of) ` +
      String.raw`(?<thing>(?:the |my |our )?\w+)(?=[.,;!]|$| for )`,
    'iu',
  ),
  opening: new RegExp(
    String.raw`^(?:(?:(?:it )?turns out(?: that)?|` +
      String.raw`(?:correction|(?:a )?(?:small |quick |slight )?change(?: of plans?)?)[:,]|` +
      String.raw`actually,?|sorry,|no,|false alarm[,.!:]?|` +
      String.raw`(?:I was |I['’]m |it was )?(?:just |only )?(?:kidding|joking|jk|a joke)` +
      String.raw`[,.!:]?)\s|` +
      // What somebody else found out about the speaker.
      String.raw`(?:the|my|our|a)(?: [\w-]+){1,3} ` +
      String.raw`(?:says?|said|shows?|showed|confirms|confirmed|found|told me|tells me)(?: that)?` +
      String.raw`\s(?=(?:I|my|we|our)\b))`,
    'iu',
  ),
  addition: /\b(?:too|also|as well|another|additionally)\b/iu,
  now: new RegExp(
    anyWholeWord(String.raw`
      now, these days, nowadays, any ?more, no longer, instead, starting \w+, from now on,
      from next \w+, as of (?:this |last |next )?\w+, after all, turns out, currently, in the end,
      again, (?<=turned \d+ )today
    `),
    'giu',
  ),
  slots: wordSet('is are in on at from until by to me called named favorite drive drives'),
  negated: /\b(?:not|no longer|never)\b|n['’]t\b/iu,
  negation: wordSet(`
    no longer not don t doesn isn aren won wasn do does did be is am are will any more anymore now
    can couldn m ve re has have
  `),
  generic: wordSet('membership subscription account contract plan job position role'),
  certain: new RegExp(
    anyWholeWord(String.raw`
      sold, got rid of, gave away, traded in, scrapped, totall?ed, cancell?ed, terminated, quit,
      resigned, stepped down, g[ai]ven? up, dropped out, withdrew, abandoned, stopped, replaced,
      stolen, died, passed away, broke up, divorced, split, separated, moved out, replace[ds],
      (?:has taken|took) over, succeed(?:s|ed),
      (?:switched|migrated|converted|moved)(?: over)? from,
      fired, laid off, fixed, repaired, mended, married, engaged, graduated, smoking, smoked,
      had a cigarette, eat(?:ing)?, pulled the plug on, axed, discontinued, did away with, donated,
      unsubscribed from, parted ways with, gave notice at, swore off, retired (?:from|as), rehomed,
      down to, up to, any ?more, no longer
    `),
    'iu',
  ),
  doubt: new RegExp(
    anyWholeWord(String.raw`
      before, when, while, whenever, until, unless, once, never, not, another, too, also, other,
      second, first, old, new one, years ago, decades ago, it back, lend\w*, borrow\w*, again,
      last year, in (?:19|20)\d\d,
      as a (?:kid|child|student|teenager|boy|girl), growing up, in (?:college|school), back then,
      dreamed, dreamt, dream, game, movie, for(?! (?:good|sure|\d)),
      his, her, their, your, its, one of, some of, half, part of,
      early, going to, want, need, laughing, laughter, cancell?ed .*on \w+day
    `) + String.raw`|n['’]t\b`,
    'iu',
  ),
  indefinite: /\ban?\s/iu,
  narrower: new RegExp(
    String.raw`^\s${oneOf('in, at, near, on, from, of, with, that, which, by')}\s(?!(?:the )?` +
      oneOf(`
        \\p{Lu}\\p{Ll}+day, ${MONTHS.en}, spring, summer, autumn, fall, winter, weekend, end,
        favou?r
      `) +
      String.raw`\b)`,
    'u',
  ),
  several: new RegExp(
    String.raw`,|${anyWholeWord('and, or, both, two, three, four, five, several, many, other')}|` +
      anyWholeWord('also, too'),
    'iu',
  ),
  beside: /^(?:with|for|about|near|from|over|against|behind|like|s|who|that|whose|next)$/u,
  things: byWord({
    'phone number': 'phone number, mobile number, cell number, number',
    email: 'email address, e-mail',
    address: 'home address',
    hairdresser: 'haircut, barber, stylist',
  }),
};
