/**
 * Recognizes questions for what the assistant said or made, by words of English, German, Spanish,
 * Chinese and French: `What did you recommend?`, `the table you made`, `your list`, `number four`.
 */
import { anyOf } from '../../text/pattern.ts';
import { isNumberAsked } from './listed-item.ts';

const SAID =
  'say|said|tell|told|advised?|suggest(?:ed)?|recommend(?:ed)?|proposed?|give|gave|given|' +
  'mention(?:ed)?|explain(?:ed)?|warn(?:ed)?|think|draft(?:ed)?|list(?:ed)?|call(?:ed)?';
const TOLD =
  'said|told|advised|suggested|recommended|proposed|gave|given|mentioned|explained|warned|thought|' +
  'drafted|listed|called';
const MADE =
  'made|picked|chose|chosen|named|ranked|wrote|written|worked out|calculated|figured out|' +
  'came up with|compared|found|described|set|estimated|rated|sorted|translated|planned|put|' +
  'preferred|favou?red|designed|laid out|computed|identified|brought up|pointed (?:out|me|us)|' +
  '(?:had|got) (?:me|us)';
const MAKE =
  'make|pick|choose|name|rank|write|work out|calculate|figure out|come up with|compare|describe|' +
  'estimate|rate|translate|plan|put|design|compute|identify|point (?:out|me|us)|have (?:me|us)';
const OFTEN = '(?:once|first|then|also|originally|finally|even|just|previously|earlier)';
/** What an assistant makes. */
const WORK =
  'lists?|tables?|calculations?|estimates?|choice|picks?|ranking|comparison|recipe|draft|outline|' +
  'itinerary|formula|instructions|steps|explanation|summary|version|chart|schedule|reply|' +
  'answer(?!s)|advice|suggestions?|recommendations?|tips?|proposal|favou?rite|top (?:choice|pick)|' +
  '(?:first|second|third) (?:choice|pick|suggestion)|shortlist|breakdown|code|example';

const ADVISED_ES =
  '(?:recomend|aconsej|mencion|indic|coment|calcul|explic)ó|dijo|sugirió|propuso|dio|advirtió|' +
  String.raw`ha(?:bía)? \p{L}+[dt]o`;
const WORK_ES =
  'consejos?|sugerencias?|recomendaci[oó]n(?:es)?|respuesta(?!s)|lista|tabla|c[aá]lculos?|receta|' +
  'itinerario|elecci[oó]n|borrador|men[uú]|gu[ií]a|resumen|comparaci[oó]n|primera opci[oó]n|cuentas';
const WORK_DE =
  'rat(?!e)|tipps?|vorschl[aä]ge?|empfehlung(?:en)?|antwort(?!en)|liste|tabelle|(?:be)?rechnung|' +
  'rezept|auswahl|wahl|favorit|entwurf|reihenfolge|übersicht|schätzung|anleitung|vergleich|' +
  'erklärung|formel';
const PARTICIPLE_DE =
  'empfohlen|erklärt|erwähnt|berechnet|erzählt|beschrieben|übersetzt|erstellt|verglichen|verwendet|lassen';
const WORK_FR =
  'conseils?|suggestion|recommandation|proposition|réponse|liste|recette|tableau|calcul|choix|' +
  'comparaison|brouillon';
const ADVISED_FR = String.raw`(?:dit|conseill|recommand|propos|suggér|donn|indiqu|expliqu|parl)`;

/** German has one word for `you`, of formal address, and `they`: a capital tells them apart. */
const FORMAL_DE = new RegExp(
  String.raw`\b(?:[Hh]aben|[Hh]atten|[Ss]agten|[Rr]ieten|[Ee]mpfahlen|[Nn]annten|[Gg]aben|` +
    String.raw`[Ss]chlugen|[Mm]einten|[Ww]arnten|[Ee]rklärten) Sie\b|\bSie (?:mir|uns)\b|` +
    String.raw`\bIhr(?:e[nrm]?)? (?:Rat|Tipps?|Vorschl[aä]ge?|Empfehlung(?:en)?|Antwort|Liste|` +
    String.raw`Tabelle|(?:Be)?[Rr]echnung|Rezept|Auswahl|Wahl|Entwurf|Vergleich|Erklärung)\b|` +
    String.raw`\b(?:[Ll]aut|[Nn]ach) (?:Ihnen\b|Ihrem Rat\b)`,
  'u',
);

const OF_ASSISTANT = anyOf(
  String.raw`\b(?:did|had|have) you (?:\w+ ){0,2}?(?:${SAID})\b`,
  String.raw`\b(?:did|had|have) you (?:${OFTEN} )?(?:${MAKE}|${MADE})\b`,
  String.raw`\byou(?:'d| had| have|'ve)? (?:${OFTEN} )?(?:${TOLD}|${MADE})\b`,
  String.raw`\byour (?:\w+ )?(?:${WORK})\b|\baccording to you\b`,
  String.raw`\b(?:hast|hattest) du\b(?=.*(?:ge\p{L}{2,}(?:t|en)|${PARTICIPLE_DE})(?!\p{L}))`,
  String.raw`\b(?:sagtest|rietst|rätst|empfahlst|nanntest|gabst|schlugst) du\b`,
  String.raw`\b(?:meintest|warntest|erklärtest|schriebst|wähltest|rechnetest|machtest) du\b`,
  String.raw`(?<!\b(?:muss?t|soll?s?t|darfst|kannst) )\bdu (?:mir|uns)\b|\bdu (?:hast|hattest)\b`,
  String.raw`\bdein(?:e[nrm]?)? (?:\p{L}+ )?(?:${WORK_DE})\b|\blaut dir\b|\bvon dir\b`,
  String.raw`\b(?:recomend|aconsej|mencion|indic|pas|arm|calcul|coment|nombr|list|prepar|orden|` +
    String.raw`compar|anot|mand|estim|cont|enseñ|encontr|diseñ|redact)aste\b`,
  String.raw`\b(?:dij|suger|propus|d|advert|hic|pus|eleg|escog|escrib)iste\b|\bexplicaste\b`,
  String.raw`(?<!\p{L})(?:${ADVISED_ES}) usted\b|\busted (?:me|nos) (?:${ADVISED_ES})`,
  String.raw`\b(?:me|nos) (?:recomendó|aconsejó|sugirió|indicó) (?:para|que|usar|contra|cuando)\b`,
  String.raw`\b(?:me|nos) (?:has|habías)\b|\bsegún (?:tú|vos|usted|tus?)(?!\p{L})`,
  String.raw`\btus? (?:${WORK_ES})\b`,
  String.raw`\b(?:tu|vous) (?:m['’]|nous )?(?:l['’])?(?:as|avais|avez|aviez) ` +
    String.raw`(?:\p{L}+ )?${ADVISED_FR}`,
  String.raw`\b(?:as|avais)-tu (?:\p{L}+ )?${ADVISED_FR}`,
  String.raw`\b(?:avez|aviez)-vous (?:\p{L}+ )?${ADVISED_FR}`,
  String.raw`\b(?:ton|ta|tes|votre|vos) (?:${WORK_FR})\b|\b(?:selon|d['’]après) (?:toi|vous)\b`,
  '(?<![跟对和给向替为])[你您](?:之前|当时|曾经|还|又|以前|上次|那时|后来|曾)*' +
    '(?:给我|跟我|对我|向我|为我|帮我|替我)?' +
    '(?:让|叫|说|推荐|建议|告诉|提议|教|劝|提到|提醒|介绍|讲|挑|列|选|写|算|排|画|拟|整理|总结|估|做的|开的)',
  '(?:给我|跟我|向我)(?:推荐|建议|介绍|提)',
  '[按照据]+[你您]|[你您]的(?:首选|清单|表|列表|算法|建议|推荐|方案|菜谱|计划|排名|答案|回答|说法|名单|选择)',
);

/** Whether a question asks for what the assistant said or made, not for something new from it. */
export function asksWhatAssistantSaid(question: string): boolean {
  return OF_ASSISTANT.test(question) || FORMAL_DE.test(question) || isNumberAsked(question);
}
