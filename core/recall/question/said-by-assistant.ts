/**
 * Recognizes questions for what the assistant said or made, by words of English, German, Spanish,
 * Chinese and French: `What did you recommend?`, `the table you made`, `your list`, `number four`.
 */
import { anyOf } from '../../text/pattern.ts';
import { isNumberAsked } from './listed-item.ts';

/** What is done to the user's words, or what the user does. */
const OF_USER_EN =
  'know|knew|see|heard?|notice|remember|understand|understood|learn|learnt|save|store|read|' +
  'receive|get|got|like|enjoy|want|need|ask|forget|forgot|sleep|happen|turn|look|use|' +
  'have(?! me| us)|live';
/** Words before a verb. */
const OFTEN_EN = String.raw`(?:(?:once|first|then|also|just|even|ever|\w+ly|earlier) )?`;
const IRREGULAR_EN =
  'said|told|gave|given|thought|made|chose|chosen|wrote|written|found|set|put|sent|shown|' +
  'taught|drew|drawn|built|laid|came up with|brought up|' +
  '(?:had|got) (?:me|us)';
/** What an assistant makes. */
const WORK_EN =
  'lists?|tables?|calculations?|estimates?|choice|picks?|ranking|comparison|recipe|draft|outline|' +
  'itinerary|formula|instructions|steps|explanation|summary|version|chart|schedule|reply|plan|' +
  'answer(?!s)|advice|suggestions?|recommendations?|tips?|proposal|shortlist|breakdown|code|' +
  'example|overview|guide|story|poem|script|analysis|routine|message|response';
const TALK_EN = '(?:conversation|chat|discussion)s?';

/** Follows `du` where the user's words are meant: `Hast du dir gemerkt, wann …?` */
const OF_USER_DE =
  '[^?!,]{0,40}(?<!\\p{L})ge(?:merkt|hört|lernt|speichert|fragt|sehen|lesen|wusst)(?!\\p{L})';
const PARTICIPLE_DE =
  String.raw`(?<!\p{L})(?:\p{L}{0,12}ge\p{L}{2,20}(?:t|en)|` +
  String.raw`(?:be|emp|er|ver|über|wider)\p{L}{3,20}(?:t|en)|\p{L}{3,20}iert|lassen)(?!\p{L})`;
const SAID_DE =
  'sagtest|rietst|rätst|empfahlst|nanntest|gabst|schlugst|meintest|warntest|erklärtest|schriebst|' +
  'wähltest|rechnetest|machtest|erwähntest';
const WORK_DE =
  String.raw`rat(?:schlag|schläge)?|tipps?|vorschl[aä]ge?n?|empfehlung(?:en)?|antwort(?!en)|` +
  String.raw`\p{L}{0,12}(?:liste|tabelle|rechnung|rezept|plan|entwurf|vergleich|geschichte|` +
  'gedicht|zusammenfassung)|auswahl|wahl|favorit|reihenfolge|übersicht|schätzung|anleitung|' +
  'erklärung|formel|beispiel|text|nachricht';
/** German has one word for `you`, of formal address, and `they`: a capital tells them apart. */
const FORMAL_DE = new RegExp(
  String.raw`\b(?:[Hh]aben|[Hh]atten) Sie\b(?=[^.?!]{0,100}${PARTICIPLE_DE})|` +
    String.raw`\bSie (?:mir|uns)\b(?=[^.?!]{0,100}\b(?:haben|hatten)\b)|` +
    String.raw`\b(?:[Ss]agten|[Rr]ieten|[Ee]mpfahlen|[Nn]annten|[Gg]aben|` +
    String.raw`[Ss]chlugen|[Mm]einten|[Ww]arnten|[Ee]rklärten) Sie\b|` +
    String.raw`\bIhr(?:e[nrm]?)? (?:Rat|Tipps?|Vorschl[aä]ge?|Empfehlung(?:en)?|Antwort|Liste|` +
    String.raw`Tabelle|(?:Be)?[Rr]echnung|Rezept|Auswahl|Wahl|Entwurf|Vergleich|Erklärung)\b|` +
    String.raw`\b(?:[Ll]aut|[Nn]ach) (?:Ihnen\b|Ihrem Rat\b)`,
  'u',
);

/** Verbs of `tú`: all in `-aste` but those of the user's words, and words of other languages. */
const SAID_ES =
  String.raw`(?<!\p{L})(?!(?:pregunt|guard|record|olvid|contr|desg|toothp|aftert|dist|` +
  String.raw`enthousi|gymn|ciné|iconocl)aste)\p{L}{3,}aste(?!\p{L})|` +
  String.raw`(?<!\p{L})(?:d|dij|suger|propus|advert|hic|pus|eleg|escog|escrib|describ|tradu[jc]|` +
  'respond|ofrec|resum|compart|inclu|constru)[iy]ste(?!\\p{L})|' +
  String.raw`(?<!\p{L})(?:(?:recomend|aconsej|calcul|mencion|habl|coment|indic)abas|` +
  String.raw`(?:dec|suger|propon)ías)(?!\p{L})`;
const ADVISED_ES =
  '(?:recomend|aconsej|mencion|indic|coment|calcul|explic)ó|dijo|sugirió|propuso|dio|advirtió|' +
  String.raw`ha(?:bía)? \p{L}+[dt]o`;
const WORK_ES =
  'consejos?|sugerencias?|recomendaci[oó]n(?:es)?|respuesta(?!s)|lista|tabla|c[aá]lculos?|receta|' +
  'itinerario|elecci[oó]n|borrador|men[uú]|gu[ií]a|resumen|comparaci[oó]n|opci[oó]n|cuentas|plan|' +
  'cuento|historia|poema|ejemplo|explicaci[oó]n|instrucciones|pasos';

const WORK_FR =
  'conseils?|suggestions?|recommandations?|propositions?|réponse(?!s)|liste|recette|tableau|' +
  'calculs?|choix|comparaison|brouillon|instructions|étapes|plan|programme|itinéraire|histoire|' +
  'poème|exemple|explications?|résumé';
/** A past participle; of what is done to the user's words, none. */
const PARTICIPLE_FR =
  String.raw`(?:(?!une? )\p{L}+ )?` +
  String.raw`(?!(?:demandé|noté|retenu|enregistré|oublié|aimé|mangé|écouté)(?!\p{L}))\p{L}*` +
  String.raw`(?:ée?s?|(?:di|cri|fai|dui)te?s?|(?:mi|pri)se?s?|choisie?s?)(?!\p{L})`;
const IMPERFECT_FR = '(?:dis|recommand|conseill|suggér|propos|parl|expliqu)(?:ais|iez)';

/** Before words for advice: the question asks for new advice. */
const NEW_ADVICE =
  String.raw`(?<!\b(?:what|which|how) (?:is|are) |\bwhat['’](?:s|re) |` +
  String.raw`\b(?:need|want|like|love|appreciate|give me|share|update|improve) )`;

const OF_ASSISTANT = anyOf(
  String.raw`\bdid(?:n['’]t)? you (?!${OFTEN_EN}(?:${OF_USER_EN})\b)\w`,
  String.raw`(?<!\b(?:can|could|would|will|should|do|if|may|might|are|were) )` +
    String.raw`\b(?:(?:have|had)(?:n['’]t)? you|you(?:['’]d| had| have|['’]ve)?) ${OFTEN_EN}` +
    String.raw`(?:(?:${IRREGULAR_EN})\b|(?!(?:${OF_USER_EN})e?d\b)\w+[^\We]ed\b)`,
  String.raw`\b(?:remember|recall) you(?:r)? \w+ing\b`,
  String.raw`(?<!\bhow )\b(?:was|were) your \w|\baccording to you\b|\bof yours\b`,
  String.raw`(?<!\bif )\byou (?:were (?:\w+ )?\w+ing|had (?:an?|some|one))\b`,
  String.raw`${NEW_ADVICE}\byour (?:\w+ )?(?:${WORK_EN})\b`,
  String.raw`^(?!.{0,300}\b(?:did (?!you\b|the\b)|i (?:said|told|mentioned|asked|gave)\b))` +
    String.raw`.{0,300}\bour (?:\w+ ){0,2}${TALK_EN}\b`,
  String.raw`\b(?:(?:hast|hattest) du|du (?:hast|hattest))\b(?!${OF_USER_DE})` +
    String.raw`(?=[^?!]{0,100}${PARTICIPLE_DE})`,
  String.raw`\bdu\b(?!${OF_USER_DE})(?=[^?!]{0,100}${PARTICIPLE_DE} (?:hast|hattest)\b)`,
  String.raw`\b(?:${SAID_DE}) du\b|\bdu (?:\p{L}+ )?(?:${SAID_DE})\b`,
  String.raw`(?<!\b(?:ist|sind|brauche|möchte|gib mir|nenn mir|sag mir) )\bdein(?:e[nrm]?)? ` +
    String.raw`(?:\p{L}+ )?(?:${WORK_DE})(?:e?s)?(?!\p{L})|\blaut dir\b`,
  String.raw`(?<!\b(?:ich|will|möchte|wünsche|erwarte) )\bvon dir\b(?! (?:wissen|hören|haben))`,
  SAID_ES,
  String.raw`(?<!\p{L})(?:${ADVISED_ES}) usted\b|\busted (?:me|nos) (?:${ADVISED_ES})`,
  String.raw`\b(?:qué|cuál|cuánt[oa]s?|dónde|cómo)(?: \p{L}+)? (?:me|nos) ` +
    String.raw`(?:recomendó|aconsejó|sugirió|indicó) (?:para|que|usar|contra|cuando)\b`,
  String.raw`\b(?:(?:me|nos) has|habías) \p{L}+(?:[ai]do|cho|sto|rito)\b`,
  String.raw`\bsegún (?:tú|vos|usted|tus?)(?!\p{L})`,
  String.raw`(?<!\b(?:es|son|necesito|quiero|dame) )\btus? (?:\p{L}+ )?(?:${WORK_ES})\b`,
  String.raw`\b(?:tu|vous) (?:m['’]|nous )?(?:l['’])?(?:as|avais|avez|aviez) ` +
    `(?:${PARTICIPLE_FR})`,
  String.raw`\b(?:(?:as|avais)-tu|(?:avez|aviez)-vous) (?:${PARTICIPLE_FR})`,
  String.raw`\b${IMPERFECT_FR}-(?:tu|vous)\b|\b(?:tu|vous) (?:me |nous |m['’])?${IMPERFECT_FR}\b`,
  String.raw`(?<!\b(?:est|sont|besoin de|voudrais) )\b(?:ton|ta|tes|votre|vos) (?:\p{L}+ )?` +
    String.raw`(?:${WORK_FR})\b|\b(?:selon|d['’]après) (?:toi|vous)\b`,
  '(?<![跟对和给向替为请让要想])[你您](?:之前|当时|曾经|还|又|以前|上次|那时|后来|曾)*' +
    '(?:给我|跟我|对我|向我|为我|帮我|替我|教我)?' +
    '(?:让|叫|说|推荐|建议|告诉|提议|教|劝|提到|提醒|介绍|讲|挑|列|选|写|算|排|画|拟|整理|总结|' +
    '估|做的|开的|起的|编|比较|翻译|解释)',
  '(?<![跟对和给向替为请让要想])[你您][^，。？！,?!我]{0,12}' +
    '(?:安排|推荐|建议|提|列|写|选|说|讲|解释|设计)[了过]|' +
    '[你您][给为帮]我的',
  '(?:^|[，。？！,?!\\s]|之前|上次|当时|以前)(?:给我|跟我|向我)(?:推荐|建议|介绍|提)[过了的到]',
  '[按照据]+[你您]|' +
    '[你您]的(?:首选|清单|表|列表|算法|建议|推荐|方案|菜谱|计划|排名|答案|回答|说法|名单|' +
    '选择|行程|步骤)',
);

/** Whether a question asks for what the assistant said or made, not for something new from it. */
export function asksWhatAssistantSaid(question: string): boolean {
  return OF_ASSISTANT.test(question) || FORMAL_DE.test(question) || isNumberAsked(question);
}
