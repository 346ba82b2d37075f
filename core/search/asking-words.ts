/**
 * Words with which people ask, whatever the topic is: "A shop wants to know what one pot costs.
 * What do I tell them?", "On which day did we open in the end?". They ask and tell, name the kind
 * of answer, or ask for what holds now. They may be rare in a conversation, but a turn that has one
 * is not more relevant to the question.
 */

/** As the analyzer stems them, and without diacritics. */
const ENGLISH = `
tell told ask want need know known knew say said write wrote mean meant rememb remind somebodi
someon anybodi peopl thing again exact actual us get got give given gave put take took taken make
made let come came go goe went gone day date time kind sort way place end final present moment
current nowadai realli
`;
const GERMAN = `
sagen sag sage sagst sagt gesagt fragen frage fragst fragt gefragt wissen weiß weißt wusst brauchen
brauch brauchst braucht schreiben schreib schreibst schreibt geschrieben erzahlen erzahl erzahlt
bitt bitten erinnern erinn erinner erinnert nennen nenn nennt kommen komm kommt gekommen gehen gehe
geht gegangen machen mach machst macht gemacht geben gebe gibst gibt gegeben lassen lass lasst
jemand jemandem leut leuten ding genau eigentlich nochmal tag uhrzeit ort art ende end letztlich
letzt letzten schliesslich zurzeit derzeit aktuell momentan tatsachlich wirklich
`;
const SPANISH = `
decir digo dice dicen dime diga dijo dije dijist dijeron preguntar pregunto pregunta preguntan
querer quiero quier quieren saber sabe saben necesitar necesito necesita escribir escribo escrib
recordar recuerdo recuerda recuerdam contar cuento cuenta cuentam alguien gent cosa exactament hago
hacen poner pongo pone ponen pedir pido pide piden dar doy dan dame dia hora sitio lugar tipo fin
final finalment actual actualment verdad realment momento
`;
const CHINESE = `
告诉 诉我 要写 我想 想知 知道 应该 需要 帮我 记得 说过 问我 哪里 在哪 哪儿 哪个 地方 几号 几点 目前 最后 到底 实际 当初 来着
`;

const ASKING: ReadonlySet<string> = new Set(
  `${ENGLISH} ${GERMAN} ${SPANISH} ${CHINESE}`.trim().split(/\s+/u),
);

/** Returns the weight of a term of a question. */
export function askedWeight(term: string): number {
  return ASKING.has(term) ? ASKING_WEIGHT : 1;
}

const ASKING_WEIGHT = 0.3;
