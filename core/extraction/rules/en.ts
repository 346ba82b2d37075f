/** Rules of extraction for English. */
import { MONTHS, WEEKDAYS } from '../../text/calendar-words.ts';
import { oneOf } from '../../text/pattern.ts';
import {
  AND_MORE,
  AND_NO_MORE,
  BY_NOW,
  EMPLOYER,
  LONG_AGO,
  NAME,
  NOT_OF_WORK,
  OF_HOME,
  PLACE,
  TOWN,
  WITHOUT_THINGS,
} from './en-names.ts';
import { EVENTS, JOBS, KIN, NAMED, OWN, PETS, ROADS, SERVING, WORKPLACES } from './en-nouns.ts';
import { anyCase, namesOf, OLD_NAME, personsOf, type RuleBook, ruleMakers } from '../rule.ts';

const STOPS = String.raw`[.,;:!?()…–—\n"“”]`;
const END =
  String.raw`(?=\s*(?:${STOPS}|$)|\s(?:and|but|so|because|since|which|where|who|while|when|` +
  String.raw`though|now|again|any ?more|these days|instead|last|this|for (?:a|two|ten|\d))\b)`;

/** What users ask an assistant to do; a word of `STANDING` makes the request permanent. */
const ASKED = `
  answer, reply, respond, write, speak, talk, use, call, address, give, show, keep, format, explain,
  be, include, add, avoid, skip, stop, start, end, begin, quote, cite, put, leave, remind, check,
  assume, treat, refer, convert, round, list, send, tell, ask, spell, make, suggest, recommend,
  sum, provide, copy, prefer, stick, don['’]t \\w+, do not \\w+, always \\w+, never \\w+
`;
const STANDING = oneOf(`
  [Ff]rom now on, [Ff]rom here on, [Ii]n (?:the )?future, [Gg]oing forward, at all times,
  by default
`);

const WE_MOVED =
  "[Ww]e(?:['’]ve| have)?(?: just| recently| finally| now)* (?:moved|relocated)(?: back)? to";
const SINCE = oneOf(`
  [Ss]ince (?:the|our|my)(?: \\w+)? move to, [Ss]ince (?:moving|relocating) to,
  [Ss]ince (?:we|I)(?:['’]ve| have)? (?:moved|relocated) to
`);

const rule = ruleMakers({
  ASKED: anyCase(ASKED),
  STANDING,
  NOW: oneOf('now(?! and then), these days, nowadays, any ?more, from now on'),
  /** A food as a whole, not a portion of it and not only at some times. */
  WHOLE:
    String.raw`(?<value>(?!(?:an?|one|two|half|some|enough)\b)(?:(?!(?:on|in|at|after|before|` +
    String.raw`when|with|for|during|from|if|until)\b)[\p{L}\p{N}'’-]+ ){0,3}?(?!(?:these|those|` +
    String.raw`that|this|it)\b)[\p{L}\p{N}'’-]+)`,
  ROAD: oneOf(ROADS),
  PLEASE: String.raw`(?:(?:[Pp]lease|[Pp]l[sz]),?\s)?`,
  PET: namesOf(PETS),
  KIN: namesOf(KIN),
  /** Employers without a name: `at a law firm`. */
  WORKPLACE: String.raw`(?:[\p{L}'’-]+ ){0,2}${oneOf(WORKPLACES)}`,
  JOBS: '(?:(?:an?|my|the) new (?:job|position|role)|jobs|employers|companies)',
  HOME: '(?:(?:an?|our|my) (?:new |own |bigger |smaller )?(?:flat|house|apartment|place|home))',
  USING: '(?:us(?:e|ing)|adopt(?:ing)?|go(?:ing)? with|choos(?:e|ing)|switch(?:ing)? to)',
  PLANNED:
    String.raw`(?<value>[^.,;:!?()…–—\n"“”]{2,120}?)(?:\sfor\s(?:the\s|our\s)` +
    String.raw`?(?<thing>[^.,;:!?]{3,40}?))?(?=\s(?:after all|any ?more)|[.,;:!?]|$)`,
  I:
    String.raw`(?<![\p{L}'’])I(?:\s(?:now|currently|still|also|really|just|absolutely|` +
    String.raw`generally|usually|mostly|much|live and))?`,
  AM:
    String.raw`(?<![\p{L}'’])I(?:['’]m|\sam)(?:\s(?:now|currently|also|still|` +
    String.raw`severely|very|a bit))?`,
  HAVE: String.raw`(?<![\p{L}'’])I(?:['’]ve|\shave)?(?:\s(?:just|recently|finally|now))?`,
  WE: String.raw`(?<![\p{L}'’])(?:[Ww]e|I)`,
  END,
  V: String.raw`(?<value>[^.,;:!?()…–—\n"“”]{2,120}?)${END}`,
  OLD: String.raw`(?<old>[^.,;:!?()…–—\n"“”]{2,60}?)`,
  NAME,
  EMPLOYER,
  PLACE,
  DATE:
    String.raw`(?:(?:on|to|at|for|until|by)\s)?(?:(?:next\s)?${WEEKDAYS.en}\b|` +
    String.raw`${MONTHS.en}\s\d{1,2}|(?:the\s)?\d{1,2}(?:st|nd|rd|th)?(?:\sof)?\s${MONTHS.en}|` +
    String.raw`\d{4}-\d\d-\d\d|(?:the\s)?\d{1,2}(?:st|nd|rd|th)\b)`,
  ORIGIN: String.raw`(?:\p{Lu}\p{L}*(?:ish|ese|[ie]an)|German|French|Dutch|Greek|Swiss|Thai)`,
  OWN: namesOf(OWN),
  SERVING: namesOf(SERVING),
  NAMED: namesOf(NAMED),
  EVENT: namesOf(EVENTS),
  JOB: String.raw`(?:[a-z-]+ ){0,2}${oneOf(JOBS)}`,
  DIET:
    '(?:vegan|vegetarian|pescatarian|coeliac|celiac|lactose[- ]intolerant|diabetic|' +
    'colou?rblind)',
  DAYS: WEEKDAYS.en,
  MONTHS: MONTHS.en,
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

export const EN: RuleBook = {
  rules: [
    rule.age(
      String.raw`(?:^|,\s|and )(?:[Mm]y|[Oo]ur) (?<thing>{KIN}) (?:is|(?:has )?(?:just )?turned)` +
        String.raw`(?: now| already)? (?<value>\d{1,2})(?= (?:now|years? old|and)\b|[.,;!]|$)`,
    ),
    rule.address(
      String.raw`(?:{I}|[Ww]e(?: now)?) (?:live|moved) (?:now )?(?:at|to) (?<value>\d+\w? ` +
        String.raw`(?:\p{Lu}[\p{L}'’.-]+ )+{ROAD})(?!\p{L})`,
    ),
    rule.address(
      String.raw`^(?!.* in (?:19|20)\d\d)(?:{HAVE}|{WE}(?:['’]ve)?(?: just)?) (?:moved|got|found|` +
        String.raw`rented|bought) (?:(?:in)?to )?{HOME},? (?:and )?(?:it['’]s|we['’]re|I['’]m) ` +
        String.raw`(?:now )?(?:at|on|in) (?<value>\d+\w? {NAME}|{NAME} \d+)`,
    ),
    rule.residence(
      String.raw`^[Ww]e(?: now)? live in {PLACE}(?<value>{NAME})(?=[.,;!]|$| (?:now|and|with)\b)`,
    ),
    rule.residence(
      String.raw`^(?!.* in (?:19|20)\d\d)(?:{HAVE}|{WE}(?:['’]ve)?(?: just)?) moved (?:in)?to ` +
        String.raw`{HOME} in {PLACE}(?<value>{NAME})`,
    ),
    rule.employer(
      String.raw`{HAVE} (?:have|got|found|started|landed|taken|took|changed|switched) {JOBS},? ` +
        String.raw`(?:and )?(?:(?:I['’]m|I am)(?: now)? (?:at|with)|(?:I )?(?:now )?work ` +
        String.raw`(?:at|for)|at) {EMPLOYER}`,
    ),
    rule.shift(
      String.raw`^(?!.*\b(?:this|next) (?:week|month))(?:{HAVE} (?:switched|moved|changed) to|` +
        String.raw`I(?:['’]m| am) now on|I(?: now)? work)(?: the)? (?<value>(?:day|night|early|` +
        String.raw`late|morning|evening) shifts?)(?= (?:from|starting|since)\s| {NOW}|[.,;!]|$)`,
    ),
    rule.shift(String.raw`^I(?: now)? work (?<value>nights|days|evenings)(?= {NOW}|[.,;!]|$)`),
    rule.shift(
      String.raw`^I(?:['’]m| am) on (?:the )?` +
        String.raw`(?<value>(?:day|night|early|late|morning|evening) shifts?) {NOW}`,
    ),
    rule.only('{I} only (?<thing>eat|drink|wear|read|buy|smoke) {WHOLE} {NOW}(?=[.,;!]|$)'),
    rule.only(
      String.raw`(?:^|, )(?:[Tt]hese days|[Nn]owadays|[Nn]ow),? I only ` +
        '(?<thing>eat|drink|wear|read|buy|smoke) {WHOLE}(?=[.,;!]|$)',
    ),
    rule.residence(String.raw`{I}\s(?:live|reside)s?\sin\s{PLACE}(?<value>{NAME})`),
    rule.residence(String.raw`{AM}\s(?:based|living)\sin\s{PLACE}(?<value>{NAME})`),
    rule.residence(
      String.raw`[Mm]y (?:home|flat|apartment) is(?: now)? in {PLACE}(?<value>{NAME})`,
    ),
    rule.residence(
      String.raw`(?:{HAVE}\s(?:moved|relocated)(?:\s(?:house|home|back))?|(?:[Ww]e|and I)` +
        String.raw`(?:['’]ve| have)?(?: just| recently| finally| now)? relocated)` +
        String.raw`(?:\sfrom\s(?<old>{NAME}))?\sto\s{PLACE}(?<value>{NAME})${WITHOUT_THINGS}`,
    ),
    rule.formerResidence(
      String.raw`I\s(?:no longer live|don['’]t live|do not live)\sin\s(?<value>{NAME})`,
    ),
    rule.employer(String.raw`{I}\swork\s(?:at|for)\s{EMPLOYER}`),
    rule.employer(
      String.raw`{HAVE}\s(?:joined|started at|started working (?:at|for))\s{EMPLOYER}${LONG_AGO}`,
    ),
    rule.employer(
      String.raw`(?:{I}\swork\s(?:at|for|in)|{HAVE}\s(?:joined|started ` +
        String.raw`(?:work(?:ing)? )?(?:at|in|for)))\san?\s(?<value>{WORKPLACE})` +
        String.raw`(?= (?:in|near|now|these days|downtown)\b|{END}|[.,;!])`,
    ),
    rule.employer(
      String.raw`{HAVE}\s(?:quit|left)\s(?<old>{NAME})\s` +
        String.raw`(?:and joined|to join|for)\s(?<value>{NAME})`,
    ),
    rule.formerEmployer(
      String.raw`I\s(?:no longer work|don['’]t work|do not work)\s(?:at|for)\s(?<value>{NAME})`,
    ),
    rule.formerEmployer(String.raw`{HAVE}\s(?:quit|left)(?:\smy job)?\sat\s(?<value>{NAME})`),
    rule.name(String.raw`(?:[Mm]y name is|[Pp]lease call me)\s(?<value>{NAME})`),
    rule.name(`^[Yy]ou can call me (?!${WEEKDAYS.en}|${MONTHS.en})(?<value>{NAME})(?=[.,!]|$)`),
    rule.allergy(String.raw`{AM}\sallergic to\s{V}`),
    rule.allergy(
      String.raw`(?:{I}\shave|I['’]ve(?: got)?)\san?\s(?<value>[\p{L} ]{3,30}?) allergy`,
    ),
    rule.noAllergy(String.raw`I(?:['’]m| am)(?: not| no longer) allergic to\s{V}`),
    rule.diet(String.raw`{AM}\s(?:an?\s)?(?<value>{DIET})\b`),
    rule.formerDiet(String.raw`I(?:['’]m| am)\s(?:not|no longer)\s(?:an?\s)?(?<value>{DIET})\b`),
    rule.job(String.raw`{AM}\san?\s(?<value>{JOB})\b(?!['’]s)`),
    rule.job(String.raw`{I}\swork as\san?\s{V}`),
    rule.favorite(String.raw`[Mm]y favou?rite (?<thing>[\p{L} ]{2,30}?) is\s{V}`),
    rule.instruction(
      String.raw`^I(?:['’]d)? prefer (?<value>you (?:to )?(?:answer|reply|respond|speak|talk|` +
        String.raw`write|address|call|explain|keep)\b[^?\n]{3,100})`,
    ),
    rule.like(String.raw`{I}\s(?:prefer|like|love|enjoy|adore)s?\s{V}`),
    rule.dislike(
      String.raw`{I}\s(?:hate|dislike|can['’]t stand|cannot stand|never (?:eat|drink|wear|use|` +
        String.raw`take)|(?:don['’]t|do not) (?:like|eat|drink|want to see))\s{V}`,
    ),
    rule.dislike(String.raw`{I}\s(?:can['’]t|cannot|mustn['’]t) (?:eat|drink|have)\s{V}`),
    rule.rate(String.raw`{I}\scharge\s(?<value>[£€$]?\d[\d.,]*[^.,;:!?]{0,30})`),
    rule.figure(
      String.raw`(?:^|,\s|that\s)(?:[Mm]y|[Oo]ur)\s(?!guess|question|point|idea|first|second|` +
        String.raw`next|last|answer)(?<thing>[a-z][a-z -]{2,30}?)\sis\s(?:now\s)?` +
        String.raw`(?<value>[£€$]?\d[\d.,:]*(?:\s[^.,;:!?]{2,40})?)(?=[.,;:!?]|$)`,
    ),
    rule.instruction(
      String.raw`^{PLEASE}[Dd]on['’]t\s(?<value>(?:use|write|call|send|start|end|add|answer)` +
        String.raw`\s[^?\n]{3,80}(?:\bme\b|\bmy\b|\byou answer)[^?\n]{0,40})`,
    ),
    rule.instruction(
      String.raw`^{PLEASE}(?:[Aa]lways|[Nn]ever)\s(?!(?:mind|been|had|an?|the|again|happy|glad|` +
        String.raw`nice)\b)(?<value>[a-z][^?\n]{5,120})`,
    ),
    rule.instruction(
      String.raw`^{PLEASE}[Oo]nly (?<value>(?:call|contact|e?mail|message|phone|reach|ring|text|` +
        String.raw`write to) (?:me|us)\b[^?\n]{3,100})`,
    ),
    // A request is required: `From now on I live in Leeds` asks for nothing.
    rule.instruction('^{STANDING},? (?:please )?(?<value>(?:{ASKED}|no|only) [^?\\n]{3,120})'),
    rule.instruction(
      String.raw`^{PLEASE}(?!.*\b(?:what|how|why|who|which|that|about|if)\b)(?<value>{ASKED}\s` +
        String.raw`[^?,\n]{2,100}\s(?:{STANDING}(?=[.,!]|$|\s(?:please|pl[sz]|thanks)\b)|` +
        String.raw`(?:every|each) time\b[^?\n]{0,40}))`,
    ),
    rule.instruction(
      String.raw`^{PLEASE}[Kk]eep (?:all )?(?:your )?(?<value>(?:answers|replies|responses|` +
        String.raw`explanations)\s[^?\n]{3,80})`,
    ),
    rule.decisionAgainst(
      String.raw`{WE}(?:['’]ve|\shave)?\s(?:decided|agreed|voted)\s(?:against|not to|to not|to ` +
        String.raw`no longer|that we (?:won['’]t|will not|don['’]t|no longer)|to (?:drop|abandon|` +
        String.raw`reject|ditch|stop|give up(?: on)?|get rid of))\s(?:{USING}\s)?{PLANNED}`,
    ),
    rule.decisionAgainst(
      String.raw`[Ww]e(?:['’]ve| have)? (?:dropped|abandoned|rejected|scrapped|shelved|ditched|` +
        String.raw`given up(?: on)?|gave up(?: on)?) (?:the|our) (?:plan|idea|proposal|` +
        String.raw`decision)s? (?:to|of|for) (?:{USING}\s)?{PLANNED}`,
    ),
    rule.decisionAgainst(
      String.raw`[Ww]e(?:['’]ve| have)? (?:finally |just )?(?:dropped|ditched|scrapped|axed|` +
        String.raw`abandoned|stopped using) (?<value>\p{Lu}[^\s.,;:!?]*(?:\s\p{Lu}[^\s.,;:!?]*)*)` +
        String.raw`(?=[.,;:!?]|$|\s(?:because|since|for good|as|over|and|now)\b)`,
    ),
    rule.decision(
      String.raw`[Ww]e (?:now go with|go with(?=[^.,;:!?]{2,40}\snow\b)) ` +
        String.raw`(?<value>[^.,;:!?]{2,40}?)(?:\snow)?` +
        String.raw`(?:\s(?:instead of|rather than|not)\s(?<old>[^.,;:!?]{2,40}?))?(?=[.,;:!?]|$)`,
    ),
    rule.decisionAgainst(
      String.raw`[Ww]e(?:['’]re| are|['’]ll| will) (?:not|no longer) (?:going (?:with|to use)|` +
        String.raw`go with|using|use) {PLANNED}`,
    ),
    rule.decision(
      String.raw`{WE}(?:['’]ve|\shave)?\s(?:decided|agreed|settled)\s(?:to|on|that)\s` +
        String.raw`(?!(?:[^.,;:!?]*\s)?(?:not|never|no longer|\p{L}+n['’]t)\s)` +
        String.raw`(?<value>[^.;:!?()…–—\n"“”]{3,120}?)(?:\sfor\s(?:the\s|our\s)` +
        String.raw`?(?<thing>[^.,;:!?]{3,40}))?(?=[.,;:!?]|$)`,
    ),
    rule.decision(
      String.raw`[Ww]e(?:['’]re| are|['’]ll| will)\s(?:going with|go with|going to use|use|` +
        String.raw`switching to)\s(?<value>[^.,;:!?]{2,60}?)(?:\s(?:instead of|rather than|not)\s` +
        String.raw`(?<old>[^.,;:!?]{2,40}?))?(?:\sfor\s(?:the\s|our\s)?(?<thing>[^.,;:!?]{3,40})` +
        String.raw`)?(?=[.,;:!?]|$)`,
    ),
    rule.decision(
      String.raw`[Ww]e(?:['’]ve| have)?\s(?:switched|migrated|moved)\sfrom\s` +
        String.raw`(?<old>[^.,;:!?]{2,40}?)\sto\s(?<value>[^.,;:!?]{2,60}?)(?:\sfor\s(?:the\s|` +
        String.raw`our\s)?(?<thing>[^.,;:!?]{3,40}))?(?=[.,;:!?]|$)`,
    ),
    rule.owner(
      String.raw`^(?<value>\p{Lu}[\p{Ll}'’-]+(?:\s\p{Lu}[\p{Ll}'’-]+)?)\s(?:now\s)?(?:owns|` +
        String.raw`maintains|leads|runs|is (?:now )?(?:responsible for|in charge of)|takes over|` +
        String.raw`has taken over|took over(?=\s.*\sfrom\s\p{Lu}))\s(?:the\s)?` +
        String.raw`(?<thing>[^.,;:!?]{3,40}?)(?:\sfrom\s(?<old>{NAME}))?(?=[.,;:!?]|$)`,
    ),
    rule.owner(
      String.raw`^(?:[Tt]he )?(?:[Cc]ode )?(?:[Oo]wner|[Mm]aintainer)\sof\s(?:the\s)?` +
        String.raw`(?<thing>[^.,;:!?]{3,40}?)\sis\s(?:now\s)?(?<value>{NAME})(?=[.,;:!?]|$)`,
    ),
    rule.owner(
      String.raw`^(?<value>{NAME})\sis\s(?:now\s)?the\s(?:new\s)?(?:code\s)?(?:owner|maintainer)` +
        String.raw`\sof\s(?:the\s)?(?<thing>[^.,;:!?]{3,40}?)(?=[.,;:!?]|$)`,
    ),
    rule.theOne(
      String.raw`[Mm]y (?:new )?(?<thing>{OWN})\s(?:is now|is|will be)\s(?:on\s)?` +
        String.raw`(?!{ORIGIN}(?=[.,;!]|$))` +
        String.raw`(?<value>{NAME}|[\w.+-]+@[\w.-]+|\+?[\d ()-]{5,}|[£€$]?\d[\d.,]*)`,
    ),
    rule.theOne(
      String.raw`^(?!(?:S?he|Who|Here|There|Th\w+) )(?<value>(?:Dr\.? )?{NAME})(?: is|['’]s) ` +
        String.raw`(?:now )?(?:my|our) (?:new )?(?<thing>{SERVING})(?: now)?(?=[.,;:!]|$)`,
    ),
    rule.manager(String.raw`{I}\s(?:now )?report to\s(?<value>{NAME})`),
    rule.theOne(
      String.raw`[Mm]y (?<thing>{NAMED})(?:['’]s name is| is (?:called|named))\s(?<value>{NAME})`,
    ),
    rule.theOne(
      // Two words, since `Spanish` in `My girlfriend is Spanish` is no name.
      String.raw`[Mm]y (?<thing>{NAMED}) is (?<value>\p{Lu}[\p{L}'’-]+ \p{Lu}[\p{L}'’-]+)` +
        String.raw`(?=[.,;!]|$)`,
    ),
    rule.oneOfSeveral(
      String.raw`(?:[Mm]y|[Oo]ur) (?<thing>{KIN}|{PET})(?:['’]s name is| is (?:called|named))` +
        String.raw`\s(?<value>{NAME})`,
    ),
    rule.oneOfSeveral(
      String.raw`(?:{HAVE}|{I}|[Ww]e(?:['’]ve)?)\s(?:got|adopted|rescued|bought|have|own) an? ` +
        String.raw`(?:new |little |baby )?(?<thing>{PET}),?\s(?:and )?(?:(?:his|her|its) ` +
        String.raw`name(?:['’]s| is)|(?:he|she|it)(?:['’]s| is) called|` +
        String.raw`(?:called|named)(?: him| her| it)?)\s(?<value>{NAME})` +
        String.raw`(?=\s*(?:[.,;:!?…]|$)|\s(?:and|but|who|which|now)\b)`,
    ),
    rule.age(
      String.raw`(?:^|,\s|and )(?:[Mm]y|[Oo]ur) (?:little )?(?:{KIN}) ` +
        String.raw`(?<thing>\p{Lu}[\p{L}'’-]+),? (?:is|turned)(?: now)? (?<value>\d{1,2})(?= ` +
        String.raw`(?:now|years? old|and)\b|[.,;!]|$)`,
    ),
    rule.has(
      String.raw`(?:{HAVE}\s(?:bought|adopted)|I['’]ve got|{I}\s(?:own|have))\s` +
        String.raw`(?<value>(?:a|an|two|three|four|my own)\s(?:new\s|old\s)?(?:\p{Lu}[\p{L}\d-]+` +
        String.raw`(?:\s\p{Lu}[\p{L}\d-]+)?|dogs?|cats?|sons?|daughters?|kids|children|horses?|` +
        String.raw`car|bike|boat|house|brothers?|sisters?))\b`,
    ),
    rule.hasNot(String.raw`{HAVE}\ssold my\s{V}`),
    rule.birthday(
      String.raw`[Mm]y (?<thing>\p{Ll}{3,14})['’]s birthday is (?:on )?` +
        String.raw`(?<value>(?:the )?\d{1,2}(?:st|nd|rd|th)?(?: of)? \p{L}{3,9}|` +
        String.raw`\p{L}{3,9} (?:the )?\d{1,2}(?:st|nd|rd|th)?)(?![\p{L}\p{N}])`,
    ),
    rule.timeOff(
      String.raw`{AM} (?:off|away|on (?:vacation|holiday|leave|PTO)|out of (?:the )?office) ` +
        String.raw`(?:from )?(?<value>(?:\p{L}{3,9} \d{1,2}|\d{1,2}(?:st|nd|rd|th)? \p{L}{3,9})` +
        String.raw`\p{L}{0,2} (?:to|until|till|through|-|–) [^.,;:!?]{1,20})`,
    ),
    rule.responsible(String.raw`{AM} (?:responsible for|in charge of) {V}`),
    rule.car(
      String.raw`{I} drive an? (?<value>(?:\p{Ll}+ )?\p{Lu}[\p{L}\d-]+(?: \p{Lu}[\p{L}\d-]+)?)` +
        String.raw`(?=\s*(?:[.,;!]|$)|\s(?:now|and|to)\b)`,
    ),
    rule.learning(String.raw`{AM} (?:learning|studying) (?<value>\p{Lu}\p{L}+){END}`),
    rule.handedness('{AM} (?<value>left-handed|right-handed|ambidextrous)'),
    rule.habit(
      String.raw`{I} (?<value>(?:go|work|play|train|teach|swim|run|cycle|volunteer)` +
        String.raw`(?: [^.,;:!?]{1,40})? on ${WEEKDAYS.en}s(?: and ${WEEKDAYS.en}s)?)(?!\p{L})`,
    ),
    rule.date(
      String.raw`(?:^|\s)(?:[Tt]he|[Oo]ur|[Mm]y)\s(?<thing>(?:{EVENT})(?:\s(?:for|with|of)` +
        String.raw`\s[^.,;:!?]{2,30}?)?)\s(?:is|starts|begins|takes place|happens|falls|moves|` +
        String.raw`moved|has moved|slipped|(?:was|has been|got|is)(?: now)? (?:moved|rescheduled|` +
        String.raw`postponed|pushed|set|scheduled|booked))(?:\sfrom\s(?<old>.{3,30}?))?\s` +
        String.raw`(?<value>{DATE}[^.;!?()]{0,40})`,
    ),
    rule.teaches(
      String.raw`(?<!\p{L})I(?:['’]m)?(?: now)? teach(?:ing)?(?: \p{L}+)? (?:at|in) ` +
        String.raw`(?:an? |the )?(?<value>(?:[\p{L}'’-]+ ){0,3}` +
        String.raw`(?:[Ss]chool|[Cc]ollege|[Uu]niversity|[Aa]cademy|[Kk]indergarten))(?!\p{L})`,
    ),
    // `We moved to Postgres` says nothing of a home.
    rule.residence(`^{THERE}{HOMELY}.*?(?<!\\p{L})${WE_MOVED} {TOWN}${AND_MORE}`),
    rule.residenceInPassing('^{THERE}{HOMELY}.*?(?<!\\p{L}){SINCE} {TOWN}'),
    rule.residenceInPassing(
      "^{THERE}.*?\\b[Nn]ow that (?:I|we)(?:['’]re|['’]m|['’]ve| are| am| have)? " +
        '(?:live|living|settled)(?: down)? in {TOWN}',
    ),
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
  ],
  notLasting: new RegExp(
    String.raw`\b(?:[Ii]f|would|could|might|may|should|[Mm]aybe|[Pp]erhaps|[Pp]robably|` +
      String.raw`[Ii]magined?|[Ss]uppos\w+|pretend\w*|wish|hope|dream(?:ed|t)|` +
      String.raw`thinking (?:of|about)|` +
      String.raw`(?<!(?:the|our) )plan(?:ning)? to|considering|used to|today|tonight|tomorrow|` +
      String.raw`right now|this (?:morning|afternoon|evening)|for now|at the moment|lol|` +
      String.raw`[Hh]a(?:ha)+|kidding|joking|jk|says?|said|saying|told|claims? (?:that|I)|n['’]t ` +
      String.raw`mean (?:to say )?(?:that )?I|(?:not true|a lie|false|nonsense) that|` +
      String.raw`(?:[Ii]t(?:['’]s| is) not|[Ii]sn['’]t) (?:like|as if|as though|that|because|` +
      String.raw`true)|thinks|asked|according to|[Uu]nless|goes(?! to)|(?:is|was|be) like|` +
      String.raw`[Ll]et['’]s say|for the sake of|almost|nearly|[Ww]hat|[Hh]ow|[Ww]hen I was)\b`,
    'u',
  ),
  dayOfDeed: new RegExp(
    String.raw`(?<=(?:^|[.,;–—]\s*|\s(?:and|but|so)\s)(?:I|[Ww]e)(?:['’]ve|\shave)?` +
      String.raw`(?:\s(?:just|finally|officially|also|now))*\s(?!(?:need|feed)\b)` +
      String.raw`(?:\p{Ll}+ed|sold|quit|gave|got|left|lost|took|found|made|paid|bought|became|` +
      String.raw`broke|began)\b` +
      String.raw`(?:(?!\s(?:and|but|so)\s(?:I|[Ww]e)\b)[^.,;–—]){0,160})` +
      String.raw`\b(?:today|this (?:morning|afternoon|evening))\b`,
    'gu',
  ),
  aside: new RegExp(
    String.raw`\b(?:lol|[Hh]a(?:ha)+|says?|said|saying|told|asked|thinks|goes|(?:is|was) like|` +
      String.raw`today|tonight|right now|this (?:morning|afternoon|evening)|almost|nearly|` +
      String.raw`[Ww]hat|[Hh]ow)\b`,
    'gu',
  ),
  joint: new RegExp(
    String.raw`\s*[,;–—]\s*|(?<=^(?:ha(?:ha)*|lol))\s+|` +
      String.raw`\s+(?:and|but|so|btw|by the way|anyways?|also|oh|plus|well|ok(?:ay)?|yeah)\s+`,
    'iu',
  ),
  commissioned: new RegExp(
    String.raw`\b(?:translate|proofread|in my (?:novel|story|book|dream|play)|in the ` +
      String.raw`(?:novel|play|game)|rewrite|rephrase|paraphrase|role-?play|pretend|` +
      String.raw`[Ss]ummari[sz]e (?:this|the following)|correct (?:this|my)|(?:write|draft|` +
      String.raw`compose)(?: (?!by |via |per )\w+){0,3} (?:letter|story|poem|e-?mail|mail|text|` +
      String.raw`note|post|speech|` +
      String.raw`dialogue|scene|song|bio|tweet|caption|review|message|reply|toast|ad|article|` +
      String.raw`essay|blog)|^(?:write|draft|compose)\b[^.?!:\n]{0,60}:|in the story|` +
      String.raw`the character|` +
      String.raw`(?<!^(?=.*(?:not|n['’]t|still)\b))(?:just kidding|only joking))\b`,
    'iu',
  ),
  pointing: new RegExp(
    String.raw`^(?:that|this|these|those|it|its|them|they|you|your|him|her|his|one|some|any|how|` +
      String.raw`what|when|where|which|(?:mon|tues|wednes|thurs|fri|satur|sun)days?$|having|the ` +
      String.raw`[a-z]+ ones?\b|the (?:first|second|third|last|other|next|idea|way|sound|look|` +
      String.raw`part|bit|new one|one|option|version|shorter|longer)|to (?:see|know|think|say|be|` +
      String.raw`have|hear|ask|add|point)|being|more|most|both|all|everything|nothing|something|` +
      String.raw`anything|where)\b`,
    'iu',
  ),
  filler: new RegExp(
    String.raw`^(?:(?:by the way|btw|oh|also|actually|so|well|ok(?:ay)?|and|anyway|right|hi|fyi|` +
      String.raw`hello|hey|yes|no|first|thank(?:s| you)|just so you know|for (?:the record|your ` +
      String.raw`notes)|to correct that|false alarm|never mind|(?:I was |I['’]m |it was )?(?:just` +
      String.raw` |only )*(?:kidding|joking|jk|a joke)(?=.*(?:not|n['’]t|still)\b))[,:!.]?\s+)+`,
    'iu',
  ),
  replaced: new RegExp(
    String.raw`\b(?:instead of|rather than|in place of|(?:switch|migrate|move|change)(?:d|ing)? ` +
      String.raw`(?:over |away )?from|replac(?:e|ing)) (?:(?:the|our|an?|using) )?${OLD_NAME}`,
    'u',
  ),
  another: /^(?:new|current) (?!dog|cat|pet|friend|colleague|coworker|neighbou?r)/iu,
  relative: new RegExp(
    String.raw`\b(?:today|tonight|yesterday|tomorrow|last|next|ago|just|recently|this ` +
      String.raw`(?:morning|afternoon|evening|week|weekend|month|year)|in (?:a|an|\p{L}+|\d+) ` +
      String.raw`(?:day|week|month|year)s?(?! of)|${WEEKDAYS.en}|the \d+(?:st|nd|rd|th))\b`,
    'iu',
  ),
  things: new Map([...PETS, ...KIN, ...NAMED, ...EVENTS]),
};
