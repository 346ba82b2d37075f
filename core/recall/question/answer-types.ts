/**
 * Recognizes the types of answers that a question asks for, such as a name or a date, and the signs
 * that a passage offers them, by words of English, German, Spanish and Chinese. A type that is
 * asked for and offered moves a passage up or down a little; questions in other languages lack only
 * that.
 */
import { ANY_MONTH, ANY_WEEKDAY, WEEKDAYS } from '../../text/calendar-words.ts';
import { HEALTH_RISKS } from '../../text/health-risks.ts';
import { anyOf, type Pattern } from '../../text/pattern.ts';
import { prefilter } from '../../text/prefilter.ts';
import { asksWhatAssistantSaid } from './said-by-assistant.ts';

const ASKED_TYPES = {
  name: anyOf(
    String.raw`\bwho(?:se|m)?\b|\bnames?\b|\bcalled\b`,
    String.raw`\bwe(?:r|n|m|ssen)\b|\bhei(?:ß|ss)t\b|\bnamens?\b`,
    String.raw`\bqui[eé]n(?:es)?\b|\bapellido?|\bnombres?\b|\bllama`,
    '谁|叫什么|名字|姓',
  ),
  number: anyOf(
    String.raw`\bhow (?:many|much|far|long|old|high|big|tall|often|fast|deep|thick)\b`,
    String.raw`\b(?:share|percent|percentage|figure|price|cost|amount|sum|rate|limit|charge)\b`,
    String.raw`\b(?:quote|number|target|budget|size|fee)\b`,
    String.raw`\bwie ?viele?\b|\bwie (?:hoch|lang|oft|gro(?:ß|ss)|alt|dick|weit)`,
    String.raw`\bcu[aá]nt[oa]s?\b|\b(?:precio|grosor|importe|monto|costo|porcentaje)\b`,
    '多少|几(?!乎)|多大|多高|多久|多长|价',
  ),
  date: anyOf(
    String.raw`\bwhen\b|\bdates?\b|\bwh(?:at|ich) (?:day|month|year|time)\b|\bday of the week\b`,
    String.raw`\bdeadline|\bcut-off|\bwann\b|\bwochentag|\bwelche[mnrs]? (?:tag|monat|datum)`,
    String.raw`\bcu[aá]ndo\b|\b(?:fecha|qu[eé] d[ií]a)\b`,
    '哪天|什么时候|几号|几点|日期|何时|哪一天|星期几',
  ),
  now: anyOf(
    String.raw`\bnow(?:adays)?\b|\bthese days\b|\bcurrent(?:ly)?\b|\bat present\b|\bended? up\b`,
    String.raw`\bfinal(?:ly)?\b|\bin the end\b|\blatest\b|\blast\b|\bactual(?:ly|mente)?\b`,
    String.raw`\bjetzt\b|\bderzeit\b|\baktuell|\binzwischen\b|\bletztlich\b|\bam ende\b`,
    String.raw`\bschlie(?:ß|ss)lich\b|\bendgültig|\bmittlerweile\b`,
    String.raw`\bahora\b|\bfinalmente\b|\bal final\b|\b[uú]ltim[oa]`,
    '现在|目前|最后|最终|实际|如今|终于|眼下',
  ),
  task: anyOf(
    String.raw`\bstill\b|\bleft (?:for me )?to\b|\bowe\b|\bpromised?\b|\bto[- ]do\b|\bgot to\b`,
    String.raw`\bhave to\b|\b(?:have|has|is|was)n't\b|\bpending\b|\boutstanding\b|\bunfinished\b`,
    String.raw`\bnoch\b|\bschulde|\boffen|\berledigen\b|\bausstehend`,
    String.raw`\btodav[ií]a\b|\bdebo\b|\bfalta\b|\bpendiente|\bqueda\b`,
    '还|没(?:有)?(?:做|办|完|写|交|还)|欠|待办|就差|剩',
  ),
  /** The question asks for what somebody likes, or what they told the assistant to do or not do. */
  preference: anyOf(
    String.raw`\bhow (?:did|had|have|was it) i (?:\p{L}+ )?(?:ask|tell|want|say|told|said)`,
    String.raw`\bi (?:ask|tell|want|allow|said|told|say)(?:ed)? (?:you )?(?:not |never )?` +
      String.raw`(?:to|tae)\b`,
    String.raw`\bi (?:forbid|forbade|banned) you\b`,
    String.raw`\b(?:(?:won|would|do|ca)n?['’]?t i|(?:will|would|do|can) i (?:not|no|never)) ` +
      String.raw`(?:allow|have|accept|stand|eat|drink|wear|touch|use|put up with)\b`,
    String.raw`\bi (?:won['’]?t|will not|will no|refuse to|can['’]?t) ` +
      String.raw`(?:allow|have|accept|stand)\b`,
    String.raw`\bwie (?:hab(?:e)?|hatte|wollte) ich(?: \p{L}+){0,2} (?:dir|es|das|gesagt|haben)\b`,
    String.raw`\b(?:dir|ihnen|dich|sie)(?: \p{L}+){0,3} ` +
      String.raw`(?:verboten|untersagt|aufgetragen|gebeten)\b`,
    String.raw`\bwenn (?:du|sie)(?: \p{L}+){0,4} soll(?:st|en)\b`,
    String.raw`\b(?:te|le) (?:hab[ií]a |he )?(?:dij[eo]|dicho|ped[ií](?:do)?|prohib\p{L}+|` +
      String.raw`encargu[eé]) que\b`,
    String.raw`\b(?:cómo|como|qué|que) (?:te|le) (?:ped[ií]|prohib\p{L}+|encargu[eé]|quería)\b`,
    '我(?:当初|当时|之前|以前|说过?)?(?:不让|不许|不准|要求|嘱咐|交代|吩咐|叫|让|要)过?[你您]',
    String.raw`(?<!\b(?:skin|stomach|body|gut) )\b(?:ca(?:n['’]?t|nnot)|can \p{L}+ not|not) ` +
      String.raw`(?:stand|bear|abide)\b|` +
      String.raw`\b(?:dis)?lik(?:es?|ing)\b|` +
      String.raw`\b(?:dis)?enjoys?\b|\b(?:hate|loathe|detest|love|mind)s?\b|\bput off by\b`,
    String.raw`\bnicht (?:leiden|ausstehen|abkann|abhaben)|\b(?:am|aller)liebsten\b|\bliebling|` +
      String.raw`\bhass(?:t|e)\b|\bgern(?:e)?\b`,
    String.raw`\b(?:no )?soporta\p{L}*|\bodi(?:o|a)\b|\bdetesta|\bfavorit|\bpreferid|\bencanta`,
    String.raw`\bprefer|\balways\b|\bnever\b|\brather\b|\bwant\b|\bfavou?rite`,
    String.raw`\bmust(?:n't| not)?\b|\bsuit|\bhow (?:do|should|must|would) (?:i|my)`,
    String.raw`\bhow (?:should|must|may) you\b|\byour (?:answers|replies)\b`,
    String.raw`\byou(?:'re| are) (?:\w+ )?(?:writing|helping|drafting|sending|answering)\b`,
    String.raw`\bin (?:what|which) (?:manner|way|style|tone|format|form|language|order)\b`,
    String.raw`\bmust (?:the|my) \w+ be\b|\bgoes where\b|\bhow (?:does|do) (?:it|they) get\b`,
    String.raw`\blieber|\bmag\b|\bnie\b|\bimmer\b|\bwünsch|\bablehn|\blehn`,
    String.raw`\b(?:sollst|darfst|musst) du\b|\bdu (?:sollst|darfst|musst)\b|\bsie mir\b`,
    String.raw`\bwie soll(?:en)?\b|\bin welcher (?:einheit|maßeinheit)\b|\bzu achten\b`,
    String.raw`\bangeredet\b|\banrede|\bauf keinen fall\b|\bin welche[mrs]? (?:ton|form|sprache)`,
    String.raw`\bprefier|\bgusta|\bnunca\b|\bsiempre\b|\bproh[ií]b|\bquiero\b`,
    String.raw`\bvas a\b|\bal escribirme\b|\bvetad|\bme (?:escribes|hablas|dices|contestas)\b`,
    String.raw`\bcómo (?:tienes|debes|escribes|redactas)\b|\bno debes\b`,
    String.raw`\b(?:en )?qué (?:orden|idioma|lengua|unidad|medida|tono|formato|estilo)\b`,
    '喜欢|不想|不要|讨厌|偏好|习惯|最爱|希望|规矩|称呼|替我|帮我写|给我讲|回话|格式',
  ),
  /** The question asks for what a body does not tolerate. */
  harm: anyOf(
    String.raw`\ballerg|\bintoleran|\breact(?:s|ion)?\b|\b(?:dis)?agrees? with\b|\bavoid\b`,
    String.raw`\b(?:skin|stomach|body|gut) (?:ca(?:n['’]?t|nnot)|does(?:n['’]?t| not)) \p{L}`,
    String.raw`\bbad for (?:me|my|him|her|them)\b|\b(?:stay|keep) (?:away|clear|off)\b`,
    String.raw`\b(?:can|must|may|should)(?:'t|n't|not| not| nobody| no one)(?: \w+){0,2}? ` +
      String.raw`(?:eat|have|take|drink|touch|give|be given|hand)\b`,
    String.raw`\bunverträglich|\bvertr[aä]g(?:e|st|t)?\b|\breagier|\bbekommt \p{L}+ nicht\b`,
    String.raw`\bdarf(?:st)?\b[^.?!]{0,40}\b(?:nicht|keine?n?)\b|\bmeiden\b`,
    String.raw`\bal[eé]rgi|\bintolera|\bsientan? (?:mal|fatal)|\bhacen? daño|\bevitar\b`,
    String.raw`\bno (?:puedo|puede|debo|debe) (?:tomar|comer|beber|probar)`,
    '过敏|忌口|不耐受|不能[吃用碰喝]|[吃碰喝用]不得|避免',
  ),
  code: anyOf(
    String.raw`\b(?:code|scripts?|snippets?|functions?|regex|regexp|quer(?:y|ies)|sql|commands?)\b`,
    String.raw`\b(?:skripte?s?|quelltext|quellcode|befehle?|abfragen?|funktion|código|función)\b`,
    String.raw`\bcomandos?\b`,
    '代码|脚本|函数|命令|正则',
  ),
} as const;

/** Matches advice and instructions, as an assistant gives them: `I'd take the late train`. */
const ADVICE = anyOf(
  String.raw`\b(?:i['’]d|i would|you (?:should|could|might|want to|need to)|should|try|use)\b`,
  String.raw`\b(?:consider|better|best|worth|recommend|suggest|avoid|instead|don['’]t)\b`,
  String.raw`\b(?:go (?:for|with|up)|(?:start|stick|check|put|keep|take|ask|order|mix|add|let|` +
    String.raw`leave|call|send|write|measure|wait|set|make|buy|get|skip|cut|do|run|move) \p{L}+)\b`,
  String.raw`\b(?:ich würde|würde ich|sollte(?:n|st)?|probier\w*|versuch\w*|nimm|nehmen Sie)\b`,
  String.raw`\b(?:am besten|lieber|besser|empfehl\w*|rate|statt|reicht|wirkt|hilft)\b`,
  String.raw`\b(?:prüf|frag|mach|leg|stell|lass)\p{L}*(?!\p{L})`,
  String.raw`\b(?:conviene|mejor|deberías?|prueba|usa|practica|toma|ponle?|pon|pide|haz|deja)\b`,
  String.raw`(?<!\p{L})(?:probá|usá|practicá|hacé|dejá|ped[ií]\p{L}*|te recomiendo)(?!\p{L})`,
  String.raw`\b(?:yo|evita|recomiendo|aconsejo|sugiero|en (?:lugar|vez) de)\b`,
  '建议|最好|可以|应该|试试|别|不要|先|用|您这样|一定要|推荐|放|加|量',
);

/** Whether a text advises or instructs. */
export function givesAdvice(text: string): boolean {
  return ADVICE.test(text);
}

export type AskedTypes = Readonly<Record<keyof typeof ASKED_TYPES | 'assistant', boolean>>;

export function askedTypes(question: string): AskedTypes {
  const asked = Object.entries(ASKED_TYPES).map(([type, of]) => [type, of.test(question)] as const);
  const types = Object.fromEntries(asked) as Record<keyof typeof ASKED_TYPES, boolean>;
  return { ...types, assistant: asksWhatAssistantSaid(question) };
}

/**
 * A capitalized word inside a sentence. In German that may be any noun, so it tells nothing there.
 */
const NAME = /(?<=[\p{Ll},;:]\s)\p{Lu}[\p{L}'’-]+/gu;

const NUMBER = anyOf(
  String.raw`\p{N}`,
  '[一二两三四五六七八九十百千万](?:[个块元万千百号月天年点岁次斤米]|分钟)',
  String.raw`\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b`,
  String.raw`\b(?:twenty|thirty|forty|fifty|sixty|hundred)\b`,
  String.raw`\b(?:zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn)\b`,
  String.raw`\b(?:dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez)\b`,
);

const DATE = anyOf(
  String.raw`\b(?:${WEEKDAYS.en}|${WEEKDAYS.de})s?\b|\b${WEEKDAYS.es}\b`,
  String.raw`\b(?:${ANY_MONTH}|jan|feb|aug|sept?|oct|nov|dec)\b`,
  String.raw`\d(?:st|nd|rd|th)\b`,
  String.raw`[一二三四五六七八九十\d]月|(?:周|星期)[一二三四五六日天]|\d号`,
);

const TASK = anyOf(
  String.raw`\bstill\b|\bha(?:ve|s)n't\b|\b(?:need|have|has|got) to\b|\bmust\b|\bowe\b`,
  String.raw`\bpromised\b`,
  String.raw`\bdeadline\b|\bruns? out\b|\bto-?do\b|\bmy list\b|\bnothing but\b|\bleft\b`,
  String.raw`\bnoch (?:nicht|kein|offen|aus)|\bmuss\b|\bfehlt\b|\bschieb`,
  String.raw`\bbis (?:ende|monatsende|zum)\b`,
  String.raw`\bfalta\b|\btengo que\b|\bpendiente\b|\btodav[ií]a no\b|\bdebo\b`,
  '没(?:办|写|着落|做|交|还|弄|来得及)|还(?:没|得|要|差|欠)|就剩|就差|剩下|得去|要去',
);

/** Matches what somebody likes, and how the assistant is to write and answer. */
const PREFERENCE = anyOf(
  String.raw`\bi(?:'d| would)? (?:much )?(?:rather|prefer|hate|love|like|never|always|want)\b`,
  String.raw`\bi (?:can't|don't|won't|(?:just|only) want)\b`,
  String.raw`\bnever\b|\balways\b|\bno more\b|\bhow i\b|\bunless i\b|\bnone of your\b`,
  String.raw`\b(?:when(?:ever)?|if|anything|everything|whatever)(?: that)? (?:you|i ask)\b`,
  String.raw`\b(?:next time|from now on|in future)\b|\brules? for\b|\byour (?:answers|replies)\b`,
  String.raw`\b(?:give|tell|send|write|show|put|keep|call) (?:me|it|them|your)\b`,
  String.raw`\bdon['’]?t (?:ever )?(?:write|use|call|put|send|give|start|end|paste|explain)\b`,
  String.raw`\bich (?:mag|hasse|will|möchte|brauche|nehme)|\bnie(?:mals)?\b|\bimmer\b|\blieber\b`,
  String.raw`\bwill ich\b|\bich(?:['’]s| es)? gern\b|\bnix mit\b|\bper (?:du|sie)\b`,
  String.raw`\bbleiben (?:wir )?beim?\b|\bkeine? \p{L}+, keine?\b|\b(?:du|sie) (?:mir|für mich)\b`,
  String.raw`\bwenn (?:du|sie|ich)(?: \p{L}+){0,3} (?:mir|was|etwas|von dir|von ihnen)\b`,
  String.raw`\bregeln? für\b|\bmerk(?:en sie|) (?:dir|sich)\b|\bfür mich schreib`,
  String.raw`\b(?:schreib|gib|sag|nenn|zeig|schick)(?:st|en sie)? mir\b|\bwill(?:['’]s)?:`,
  String.raw`\bantworten? (?:bitte |immer )?(?:kurz|in|auf|mit)\b`,
  String.raw`\bnada de\b|\bnunca\b|\bsiempre\b|\bprefiero\b|\bodio\b|\bme gusta|\bquiero\b`,
  String.raw`\ba mí\b|\b(?:dime|dame|ponme|díme)\b|\bescríbe|\bnormas?\b|\breglas?\b`,
  String.raw`\b(?:cuando|si) me \p{L}+|\bno me \p{L}+[ea]s\b|\bme l[ao]s? \p{L}+[ae]s\b`,
  String.raw`\bpara que sepas\b`,
  '别|不要|喜欢|讨厌|习惯|只要|从不|总是|不爱|不想|规矩|直接|先[给说讲放]|每次|称呼|' +
    '给我[讲写说列念]|回[话答我]',
);

/** Matches what a body does not tolerate, and what then happens to it. */
const HARM = anyOf(
  HEALTH_RISKS.source,
  String.raw`\bepi-?pen\b|\b(?:can't|cannot|mustn't) (?:have|eat|take|drink|touch|go near|stand)\b`,
  String.raw`\bthroat\b|\bswell(?:s|ed|ing)?\b|\bswollen\b|\brash\b|\bhives\b|\bblister|\bulcer`,
  String.raw`\bwheez|\bitch|\bcomes? (?:up|out) (?:in|like)\b|\bbrings? me out\b`,
  String.raw`\bmakes? (?:me|him|her) (?:ill|sick)\b`,
  String.raw`\bvertr[aä]g(?:e|st|t)?\b|\bdarf (?:kein|nicht)|\bausschlag\b|\bquaddeln\b|\bjuckt`,
  String.raw`\b(?:an)?(?:ge)?schw(?:illt|oll|ellen|ollen)\b|\bbekommt \p{L}+ nicht\b`,
  String.raw`\bno (?:pruebo|prueba|tolero|tolera|me den|(?:puedo|puede) (?:tomar|comer|con))\b`,
  String.raw`\bhinch(?:a|ó|o|an|aron)\b|\bronchas\b|\bsarpullido\b|\burticaria\b|\bme pica\b`,
  String.raw`\b(?:me|le) sientan? (?:mal|fatal)|\bse (?:me|le) cierra\b`,
  '[吃碰喝]不得|不能[吃碰喝用]|肿|忌口|痛风|起疹|发痒|差点过去',
);

const TOLD_CHANGE = anyOf(
  String.raw`\bnow\b|\binstead\b|\bno longer\b(?! (?:only|just)\b)|\bany ?more\b|` +
    String.raw`\bmoved\b|\bswitch|\bchanged?\b`,
  String.raw`\bfrom now on\b|\bturns? out\b|\bended up\b|\bnew plan\b|\bscrap|\bcancel|` +
    String.raw`\brebook\w* (?:me|us|my|our|onto?|to)\b`,
  String.raw`\bjetzt\b|\bdoch\b|\bstattdessen\b|\bnicht mehr\b(?! nur\b)|\bumgezogen\b|` +
    String.raw`\bstorniert\b|` +
    String.raw`\b(?:mich|uns|bin|sind|wurden?) .{0,40}\bumgebucht\b`,
  String.raw`\bahora\b|\bya no\b(?! s[oó]lo\b)|\bal final\b|\bcambi|\ben vez de\b`,
  '改|换|现在|不再(?![只仅])|变|最后',
  String.raw`\b(?:moves|shift(?:s|ed)|slip(?:s|ped)|postponed|rescheduled|delayed|` +
    String.raw`(?:pushed|put|brought)(?: \w+){0,4}? (?:back|forward)) (?:to|until|till)\b`,
  String.raw`\bneuerdings\b|\bnur noch\b|\b(?:verschiebt|verlegt|verschoben)\b`,
  String.raw`\bse (?:pasa|muev|retras|aplaz|adelant)\p{L}* (?:al?|hasta|para)\b`,
  '(?:推迟|延|提前|挪|调|减|涨|加|降|升|转|搬)到',
).source;

/** Matches a sentence that itself mentions a change. */
export const TELLS_OF_CHANGE = anyOf(TOLD_CHANGE, String.raw`\bsold\b|\bwent up\b|\bverkauft\b`);

/** Matches words of change, and openings of a turn that may tell of one. */
const CHANGE = anyOf(TOLD_CHANGE, String.raw`\bactually\b|\bby the way\b|\bübrigens\b`, '对了');

const MONTH_BEGUN =
  '(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|ener|abr|ago|dic)';

/** Words that announce a change but have many other uses: on their own, a weak sign. */
const WEAK_CHANGE = anyOf(
  String.raw`\bmoving\b|\bchanging\b|\bturned out\b|\bend(?:s|ing) up\b|\bnew\b|\bafter all\b`,
  String.raw`\bin the end\b|\bg(?:ave|iven|iving) up\b|\bpostponed\b|\bpushed\b|\braised?\b`,
  String.raw`\bwent up\b|\bt(?:ook|akes|aking) over\b|\breplac|\bas of\b|\bstarting\b|\bsince\b`,
  String.raw`\bgone\b|\bso (?:it|i|we|he|she|they|from|the|now|that)\b`,
  String.raw`\bfrom (?:${MONTH_BEGUN}|next\b|this\b|the\b)`,
  String.raw`\bnun\b|\binzwischen\b|\bmittlerweile\b|\bstatt|\bverschoben\b|\bverlegt\b`,
  String.raw`\bgeändert\b|\bneue?[nrsm]?\b|\bseit\b|\bab (?!und)|\bkünftig\b|\bgewechselt\b`,
  String.raw`\bletztlich\b|\bdeshalb\b|\bdeswegen\b`,
  String.raw`\bfinalmente\b|\ben lugar de\b|\bnuev[oa]s?\b|\bdesde\b|\ba partir de\b|\bretras`,
  String.raw`\badelant|\bdej[oéóa]\b|\bconseg|\basí que\b|\bmejor\b|\bde hecho\b|\ben realidad\b`,
  '其实|后来|推迟|提前|取消|搬|涨|新|定了|不了|所以|从.{1,4}起',
  // What stays the same is said beside what changes: "Mazatlán now, same dates".
  String.raw`\bsame (?:dates?|days?|time|route|place|price|week(?:end)?|hours?|terms|money)\b`,
  String.raw`\b(?:selbe|gleiche)[nrsm]? (?:zeit|zeitraum|tage?|datum|uhrzeit|ort|preis|woche)\b`,
  String.raw`\bmism[oa]s? (?:fechas?|días?|horas?|ruta|lugar|sitio|precio|semana)\b`,
  '(?:时间|日期|日子|价钱|地方)(?:不变|没变|照旧|还是)',
);

/** Whole numbers, where `NUMBER` finds a digit of one. */
const NUMBERS = new RegExp(
  String.raw`\p{N}[\p{N}.,:]*|[一二两三四五六七八九十百千万]+|${NUMBER.source}`,
  'giu',
);
const DATES = new RegExp(String.raw`${DATE.source}|\p{N}+`, 'giu');

/** As `NAME`, with the parts of a name after a title or a first name, and at the beginning. */
const NAMES = new RegExp(
  String.raw`${NAME.source}(?:\.?\s\p{Lu}[\p{L}'’-]+)*|` +
    String.raw`(?<=^|[.!?]\s)\p{Lu}[\p{L}'’-]+` +
    String.raw`(?=\s(?:is|has|will|does|ist|hat|wird|es|ha|tiene)\s)`,
  'gu',
);

/** Returns the names, the numbers and the dates of a text, in lower case. */
export function valuesByKind(text: string): readonly ReadonlySet<string>[] {
  const names = text.match(NAMES)?.flatMap((name) => name.split(/[\s.]+/u));
  const kinds = [names, text.match(NUMBERS), DATE.test(text) ? text.match(DATES) : []];
  return kinds.map((values) => new Set(values?.map((value) => value.toLowerCase())));
}

/**
 * Returns a pattern for a word or number before a unit. Its length is bounded, because trying every
 * part of a long run takes quadratic time. The unit is matched first, because few words are one.
 */
function counted(units: string): string {
  return String.raw` (?=(?:${units})\b)(?<=\b[\p{L}\d]{1,32} )`;
}
/** The last digit of a number; the digits before it do not matter. */
const HAN_NUMBER = '[一二三四五六七八九十百千万两]';

/** Kinds of values; a correction mostly has the same kind as the value it corrects. */
const KINDS: readonly (readonly [kind: string, pattern: Pattern])[] = [
  [
    'money',
    anyOf(
      String.raw`[£€$¥]\s?\d|\d\s?(?:[€£$块元欧万]|(?:euros?|pounds?|quid|dollars?|pesos|cents?)\b)`,
      String.raw`\bquid\b|\d\s?céntimos|${HAN_NUMBER}[块元欧]`,
    ),
  ],
  ['weekday', anyOf(String.raw`\b${ANY_WEEKDAY}\b|(?:周|星期|礼拜)[一二三四五六日天]`)],
  [
    'date',
    anyOf(
      String.raw`\b${MONTH_BEGUN}\p{L}{0,9}\.? \d{1,2}\b|\d{1,2}月`,
      `${HAN_NUMBER}月[一二三四五六七八九十]`,
      String.raw`\b\d{1,2}(?:st|nd|rd|th|\.)? (?:of |de )?${MONTH_BEGUN}`,
      String.raw`[一二三四五六七八九十\d][号日]`,
    ),
  ],
  [
    'clock',
    anyOf(
      String.raw`\b\d{1,2}[:.]\d\d\b|(?:\d|${HAN_NUMBER})点`,
      String.raw`\bat (?:\d{1,2}|five|six|seven|eight|nine|ten|eleven|noon)\b`,
      String.raw`\bum (?:halb |\d)|\ba las \p{L}+`,
    ),
  ],
  ['percent', anyOf('\\d ?%|per ?cent|prozent|por ciento')],
  [
    'span',
    anyOf(
      counted('seconds?|minutes?|hours?|days?|weeks?|months?|years?'),
      counted('sekunden|minuten|stunden|tage|wochen|monate|jahre'),
      counted('minutos|horas|días|semanas|meses|años'),
      String.raw`(?:\d|${HAN_NUMBER})(?:分钟|小时|天|周|个月|年)`,
    ),
  ],
];

/** The names of all kinds; signs list them in this order. */
export const VALUE_KINDS: readonly string[] = KINDS.map(([kind]) => kind);

const FIRST_PERSON =
  /\bI\b|\b(?:[Ww]e|[Mm]y|[Oo]ur|[Ii]ch|[Ww]ir|[Mm]ein\w*|[Uu]ns\w*|[Mm]i|[Mm]e|[Nn]os)\b|我|咱/u;

export interface PassageSigns {
  readonly hasNames: boolean;
  readonly isNumber: boolean;
  readonly isDate: boolean;
  readonly isTask: boolean;
  readonly isPreference: boolean;
  readonly isHarm: boolean;
  /** The passage says that something has changed. */
  readonly isChange: boolean;
  /** The passage may tell of a change: `isChange`, or a weaker word of change. */
  readonly mayChange: boolean;
  /** Kinds of the values that it names, such as `money`. */
  readonly kinds: readonly string[];
  /** How informative it is likely to be, whatever the question. */
  readonly worth: number;
}

/** Whether both have values of one kind: a number replaces a number, a name a name, a day a day. */
export function haveOneKind(a: PassageSigns, b: PassageSigns): boolean {
  return (a.isNumber && b.isNumber) || (a.hasNames && b.hasNames) || (a.isDate && b.isDate);
}

/** By sign of a passage, the pattern that finds it; most passages match few of them. */
const PASSAGE_PATTERNS = {
  day: DATE,
  task: TASK,
  preference: PREFERENCE,
  harm: HARM,
  change: CHANGE,
  weakChange: WEAK_CHANGE,
  ...Object.fromEntries(KINDS),
};
/** The patterns of all signs of passages. */
export const SIGN_PATTERNS: readonly Pattern[] = Object.values(PASSAGE_PATTERNS);
const likelyPatterns = prefilter(SIGN_PATTERNS);
const SIGN_OF = new Map(Object.entries(PASSAGE_PATTERNS).map(([sign, pattern]) => [pattern, sign]));

/** At this length or more, a passage gets the full length bonus. */
const LONG_UNITS = 120;

export function isCode(passage: string): boolean {
  return passage.startsWith('```');
}

export function passageSigns(text: string): PassageSigns {
  const names = text.match(NAME)?.length ?? 0;
  const isNumber = NUMBER.test(text);
  const told = new Set<string>();
  for (const pattern of likelyPatterns(text)) {
    const sign = SIGN_OF.get(pattern);
    if (sign !== undefined && pattern.test(text)) told.add(sign);
  }
  const [isDate, isChange] = [told.has('day'), told.has('change')];
  const worth =
    (isNumber ? 0.35 : 0) +
    Math.min(0.4, names * 0.2) +
    (isDate ? 0.2 : 0) +
    (FIRST_PERSON.test(text) ? 0.2 : 0) +
    (isChange ? 0.25 : 0) +
    0.3 * Math.min(1, text.length / LONG_UNITS) -
    // A question that is only quoted asks nobody.
    (/[?？]\s*$/u.test(text) ? 0.5 : 0) -
    (isCode(text) ? 0.8 : 0) -
    (text.startsWith('>') ? 0.3 : 0);
  return {
    hasNames: names > 0,
    isNumber,
    isDate,
    isTask: told.has('task'),
    isPreference: told.has('preference'),
    isHarm: told.has('harm'),
    isChange,
    mayChange: isChange || told.has('weakChange'),
    kinds: KINDS.map(([kind]) => kind).filter((kind) => told.has(kind)),
    worth,
  };
}
