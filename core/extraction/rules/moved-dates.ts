/**
 * Rules of extraction for events of which the day has changed: "The launch has slipped to May 11",
 * "Wir haben den Release auf den 3. März verschoben". They end what was said of the day before.
 */
import { MONTHS, WEEKDAYS } from '../../text/calendar-words.ts';
import { oneOf } from '../../text/pattern.ts';
import { anyCase, namesOf, type Rule, type RulesByLanguage, ruleMakers } from '../rule.ts';
import { capital, EVENTS as EVENTS_DE } from './de-nouns.ts';
import { EVENTS as EVENTS_EN } from './en-nouns.ts';
import { EVENTS as EVENTS_ES } from './es-nouns.ts';
import { EVENTS as EVENTS_ZH } from './zh.ts';

const OLD = String.raw`(?<old>.{3,30}?)`;
/** Verbs of a day that changes. */
const MOVED_EN = oneOf(`
  moved, pushed, slipped, shifted, postponed, delayed, rescheduled, extended, brought forward,
  put back, put off
`);
const MOVES_EN = oneOf(`
  slips, slipped, slides, slid, moves, moved, shifts, shifted, gets ${MOVED_EN}
`);
const MOVED_DE = '(?:verschoben|verlegt|vorgezogen|verlängert|geschoben)';
const MOVED_ES =
  '(?:retrasado|movido|aplazado|pospuesto|adelantado|cambiado|pasado|trasladado|ampliado)';
const MOVE_ES = '(?:retrasó|movió|aplazó|pospuso|adelantó|pasó|trasladó|amplió|retrasa|mueve|pasa)';

const rule = ruleMakers({
  EVENT:
    String.raw`(?:\p{Ll}[\p{L}-]* ){0,2}?(?:${namesOf(EVENTS_EN)})(?: date)?` +
    String.raw`(?: (?:for|of|with) [^.,;:!?]{2,30}?)?`,
  BARE: anyCase([...EVENTS_EN.keys()].join(',')),
  WHERE: '(?: back| out| forward| up| again)?',
  FROM: String.raw`(?:\sfrom\s${OLD})?`,
  DATE:
    String.raw`(?<value>(?:(?:next\s)?${WEEKDAYS.en}\b|${MONTHS.en}\s\d{1,2}|` +
    String.raw`(?:the\s)?\d{1,2}(?:st|nd|rd|th)?(?:\sof)?\s${MONTHS.en}|\d{4}-\d\d-\d\d|` +
    String.raw`(?:the\s)?\d{1,2}(?:st|nd|rd|th)\b)[^.;!?()]{0,40})`,
  EVENTDE: String.raw`(?:\p{Lu}\p{Ll}+-)?(?:${namesOf(capital(EVENTS_DE))})`,
  FROMDE: String.raw`(?:\svom\s${OLD})?`,
  DATEDE:
    String.raw`auf (?:den )?(?<value>(?:\d{1,2}\.\s?(?:${MONTHS.de}|\d{1,2}\.)|` +
    String.raw`(?:nächsten?\s)?${WEEKDAYS.de})[^.;!?()]{0,30}?)`,
  EVENTES: String.raw`(?:${namesOf(EVENTS_ES)})(?: (?:del?|de la) [^.,;:!?]{2,30}?)?`,
  FROMES: String.raw`(?:\sdel\s${OLD})?`,
  DATEES:
    String.raw`(?:al|para el|hasta el)\s(?<value>(?:(?:próximo\s)?${WEEKDAYS.es}|` +
    String.raw`\d{1,2}\sde\s${MONTHS.es}|\d{1,2}/\d{1,2})[^.;!?()]{0,40})`,
});
/** Says that only one of the times is meant. */
const ONCE = oneOf(String.raw`
  just (?:this )?once, only this time, (?:just )?for once, ausnahmsweise, einmalig,
  nur (?:dies(?:es eine )?mal|einmal), solo (?:por )?(?:esta|una) vez, por esta vez, por una vez
`);
const ONCE_ZH = '[仅就只]此?这?一次|[仅就只]这次|破例';
const moved = (pattern: string): Rule =>
  rule.date(`(?<!(?:${ONCE}|${ONCE_ZH}).*)(?!.*(?:${ONCE}|${ONCE_ZH}))(?:${pattern})`);

const EN: readonly Rule[] = [
  moved(
    String.raw`(?:(?:^|\s)(?:[Tt]he|[Oo]ur|[Mm]y)\s|^)(?<thing>{EVENT}|{BARE})\s(?:now\s)?` +
      `(?:${MOVES_EN}|(?:has|have) (?:now )?(?:moved|slipped|slid|shifted|been ${MOVED_EN})|` +
      `(?:got|was|is|is being) (?:now )?${MOVED_EN}){WHERE}{FROM} (?:to|until|till|by) {DATE}`,
  ),
  moved(
    String.raw`(?:(?:^|\s)(?:[Tt]he|[Oo]ur|[Mm]y)\s|^)(?:new )?` +
      '(?<thing>{EVENT}|{BARE}) is now (?:on |set for |planned for |scheduled for )?{DATE}',
  ),
  moved(
    "(?<!\\p{L})(?:[Ww]e|I)(?:['’]ve|['’]re| have| are)?(?: had to| just| now)* " +
      `(?:moved?|moving|push(?:ed|ing)?|postpon(?:e|ed|ing)|shift(?:ed|ing)?|delay(?:ed|ing)?|` +
      'reschedul(?:e|ed|ing)|extend(?:ed|ing)?) (?:back )?(?:the|our|my) (?<thing>{EVENT})' +
      '{WHERE}{FROM} (?:to|until|till) {DATE}',
  ),
];

const DE: readonly Rule[] = [
  moved(
    String.raw`(?:^|\s)(?:[Dd](?:er|ie|as)|[Mm]eine?|[Uu]nsere?)\s(?<thing>{EVENTDE})\s` +
      '(?:hat sich|ist|wurde)(?: jetzt| nun)?{FROMDE} {DATEDE} ' +
      `(?:${MOVED_DE}|gerutscht)(?!\\p{L})`,
  ),
  moved(
    String.raw`(?:^|\s)(?:[Dd](?:er|ie|as)|[Mm]eine?|[Uu]nsere?)\s(?<thing>{EVENTDE})\s` +
      '(?:verschiebt sich|rutscht)(?: jetzt| nun)?{FROMDE} {DATEDE}(?=[.,;!]|$)',
  ),
  moved(
    '(?<!\\p{L})(?:[Ww]ir haben|[Ii]ch habe) (?:jetzt )?(?:den|die|das|meinen?|unseren?|unsere?) ' +
      `(?<thing>{EVENTDE}){FROMDE} {DATEDE} ${MOVED_DE}(?!\\p{L})`,
  ),
];

const ES: readonly Rule[] = [
  moved(
    String.raw`(?:^|\s)(?:[Ee]l|[Ll]a|[Mm]i|[Nn]uestr[oa])\s(?<thing>{EVENTES})\s` +
      `(?:se (?:ha )?(?:${MOVED_ES}|${MOVE_ES})|(?:ha sido|fue) ${MOVED_ES}){FROMES} {DATEES}`,
  ),
  moved(
    `(?<!\\p{L})(?:[Hh]emos|[Hh]e|[Hh]an) ${MOVED_ES} (?:el|la|mi|nuestr[oa]) ` +
      '(?<thing>{EVENTES}){FROMES} {DATEES}',
  ),
];

/** Before an event of the speaker: `表妹的婚礼` is somebody else's. */
const OWN_ZH = String.raw`(?<=^|[，,。；;！!：:\s]|我们?的?|咱们?的?|把|将|现在|结果|所以|最后)`;

const ZH: readonly Rule[] = [
  moved(
    `${OWN_ZH}(?<thing>${namesOf(EVENTS_ZH)})(?:时间|日期)?(?:已经|又|现在|要)?被?` +
      '(?:延期|延后|延迟|延长|顺延|推迟|推|拖|挪|提前|调整|改)(?:到|至|为)了?' +
      '(?<value>(?:\\d{4}年|[今明]年)?(?:\\d{1,2}|[一二三四五六七八九十]{1,3})月(?:\\d{1,2}|' +
      '[一二三四五六七八九十]{1,3})[日号]?|下?(?:周|星期)[一二三四五六日天])',
  ),
];

export const MOVED_DATES: RulesByLanguage = { en: EN, de: DE, es: ES, zh: ZH };
