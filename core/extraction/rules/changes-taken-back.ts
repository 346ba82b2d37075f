/**
 * Rules of extraction for changes that people take back: "I did not move to York in the end", "doch
 * nicht Bonn, wir bleiben in Köln", "Tom is my boss again". They end what was said of the change,
 * and become memories only if they end one.
 */
import { oneOf } from '../../text/pattern.ts';
import { namesOf, type Rule, type RulesByLanguage, ruleMakers } from '../rule.ts';
import { capital, SERVING as SERVING_DE } from './de-nouns.ts';
import { SERVING as SERVING_EN } from './en-nouns.ts';
import { SERVING as SERVING_ES } from './es-nouns.ts';

const NAME = String.raw`(?<value>\p{Lu}[\p{L}'’&-]*(?: \p{Lu}[\p{L}'’&-]*){0,2})(?![\p{L}-])`;
const HAN_NAME = String.raw`(?<value>[\p{Script=Han}A-Za-z·]{2,8}?)`;

/** Words that say of a change that it did not happen, or of a thing that it is as before. */
const SIGNS = {
  en: oneOf(`
    after all, in the end, kidding, joking, never mind, false alarm, fell through, changed my mind,
    changed our minds?, (?:not|n['’]t) (?:mov|leav|chang|relocat)\\p{L}+
  `),
  de: oneOf(`
    [Dd]och nicht, doch in, doch bei, [Dd]och (?:kein|zu)\\p{L}*, am Ende nicht, Scherz, Spaß,
    [Ff]ehlalarm, nicht geklappt, geplatzt, nicht um(?:gezogen)?, nicht (?:weggezogen|gewechselt),
    ziehe?n? nicht
  `),
  es: oneOf(`
    [Aa]l final, broma, [Ff]alsa alarma, no (?:me|nos) (?:he |hemos )?mud\\p{L}+,
    no (?:cambié|he cambiado), no salió,
    (?:hemos|he) cambiado de idea
  `),
  zh: '最后|最终|开玩笑|没有?(?:真的?)?(?:搬|换工作|跳槽)|不搬|没去成|取消了|还是|算了|黄了',
} as const;

const rule = ruleMakers({
  NAME,
  P: `${HAN_NAME}(?=了|[，,。；;！!？?、\\s]|$)`,
  EN: `^(?=.*(?<!\\p{L})${SIGNS.en}(?!\\p{L}))(?:.*?[,;.–—] )?(?:and |so |but )?`,
  DE: `^(?=.*(?<!\\p{L})${SIGNS.de}(?!\\p{L}))(?:.*?[,;.–—] )?(?:und |also |aber )?`,
  ES: `^(?=.*(?<!\\p{L})${SIGNS.es}(?!\\p{L}))(?:.*?[,;.–—] )?(?:y |así que |pero )?`,
  ZH: `^(?=.*(?:${SIGNS.zh}))(?:.*?[，,。；;])?`,
  SERVINGEN: namesOf(SERVING_EN),
  SERVINGDE: namesOf(capital(SERVING_DE)),
  SERVINGES: namesOf(SERVING_ES),
  NOT:
    String.raw`(?: did not| didn['’]t| have not| haven['’]t| never|['’]m not|['’]re not| am not|` +
    String.raw` are not| aren['’]t| will not| won['’]t)(?: actually| really)?`,
  STAY: String.raw`(?:['’](?:m|re|ll)| am| are| will)?(?: just)? (?:stay|staying)(?: put)?`,
});

const EN: readonly Rule[] = [
  rule.deniedResidence('(?<!\\p{L})(?:I|[Ww]e){NOT} (?:mov|relocat)(?:e|ed|ing) to {NAME}'),
  rule.residenceInPassing('{EN}(?:I|[Ww]e){STAY} in {NAME}'),
  rule.deniedEmployer(
    '(?<!\\p{L})I{NOT} (?:join(?:ed|ing)?|start(?:ed|ing)? at|tak(?:e|en|ing) the job at) {NAME}',
  ),
  rule.employerInPassing('{EN}I{STAY} (?:at|with) {NAME}'),
  rule.theOne(
    "(?:^|[,;.] |\\sand )(?!(?:S?he|Who|Here|There|Th\\w+) ){NAME}(?: is|['’]s) " +
      '(?:again |back as )?' +
      '(?:my|our) (?<thing>{SERVINGEN})(?: again)?(?=[.,;:!]|$)',
  ),
];

const DE: readonly Rule[] = [
  rule.deniedResidence(
    '(?:[Ii]ch bin|[Ww]ir sind|[Bb]in ich|[Ss]ind wir)(?: \\p{Ll}+){0,3} nicht nach {NAME} ' +
      '(?:um)?gezogen',
  ),
  rule.deniedResidence('(?:[Ii]ch ziehe|[Ww]ir ziehen)(?: \\p{Ll}+){0,3} nicht nach {NAME}'),
  rule.residenceInPassing(
    '{DE}(?:[Ii]ch bleibe|[Ww]ir bleiben|[Bb]leibe ich|[Bb]leiben wir)(?: \\p{Ll}+){0,2} in {NAME}',
  ),
  rule.employerInPassing('{DE}(?:[Ii]ch bleibe|[Bb]leibe ich)(?: \\p{Ll}+){0,2} bei {NAME}'),
  rule.theOne(
    '(?:^|[,;.] |\\sund )(?!(?:Er|Sie|Wer|Das|Hier) ){NAME} ist (?:jetzt |nun )?wieder ' +
      '(?:mein|unser)e? (?<thing>{SERVINGDE})(?=[.,;:!]|$)',
  ),
];

const ES: readonly Rule[] = [
  rule.deniedResidence(
    '[Nn]o (?:me|nos) (?:he |hemos |voy a |vamos a )?mud(?:é|amos|ado|o|ar) a {NAME}',
  ),
  rule.residenceInPassing(
    '{ES}(?:[Aa]l final )?(?:[Mm]e quedo|[Nn]os quedamos|[Ss]igo|[Ss]eguimos)' +
      '(?: viviendo)? en {NAME}',
  ),
  rule.theOne(
    '(?:^|[,;.] |\\sy )(?!(?:Ella|Él|Quién|Est[ea]|Es[ea]) ){NAME} ' +
      '(?:vuelve a ser|es (?:otra vez|' +
      'de nuevo)|es(?=.*(?:otra vez|de nuevo))) (?:mi|nuestr[oa]) (?<thing>{SERVINGES})' +
      '(?: otra vez| de nuevo)?(?=[.,;:!]|$)',
  ),
];

const ZH: readonly Rule[] = [
  rule.deniedResidence('我们?(?:最后|最终|后来|其实|还是)*没有?(?:真的?)?搬[到去]{P}'),
  rule.deniedResidence('(?:^|[，,])我们?(?:最后|最终|决定)*不搬[到去]{P}'),
  rule.residenceInPassing('{ZH}我?们?(?:还是|还|仍然|依然|继续|就)(?:住|留)在{P}'),
];

export const TAKEN_BACK: RulesByLanguage = { en: EN, de: DE, es: ES, zh: ZH };

const SIGN = new RegExp(
  String.raw`(?<!\p{L})(?:${SIGNS.en}|${SIGNS.de}|${SIGNS.es}|did not|didn['’]t)(?!\p{L})|` +
    SIGNS.zh,
  'iu',
);

/** Whether a text takes back a change, so that what held before it holds again. */
export function takesChangeBack(text: string): boolean {
  return SIGN.test(text);
}
