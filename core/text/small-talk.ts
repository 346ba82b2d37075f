/**
 * Recognizes phrases that carry no information: greetings, thanks, farewells, assent and laughter
 * in the four languages, and a few that people use in any language.
 */
import { oneOf } from './pattern.ts';

const ENGLISH = String.raw`
  hi, hiya, hey(?: there)?, hello(?: (?:there|again))?, hi (?:there|again), yo, welcome(?: back)?,
  (?:good )?(?:morning|evening|afternoon), good (?:night|day|bye), goodnight, goodbye,
  bye(?:[ -]bye)?, cya, take care,
  see (?:you|ya)(?: all)?(?: (?:later|soon|then|tomorrow|around|next \p{L}+|on \p{L}+day))?,
  have a \p{L}+ (?:day|evening|night|weekend|one|time), cheers, ta, thx, ty, tnx,
  (?:many )?thanks?(?: you)?(?: (?:so|very) much| a lot| again)?, thank you, much appreciated,
  thank(?:s| you) for (?:that|this|everything|(?:your|the) help|letting me know), my pleasure,
  you['’]?(?:re| are) welcome, no (?:problem|worries), any ?time, of course, sounds good,
  ok, okay, okey, kk?, all ?right, yes, yeah, yep, yup, yea, no, nope, nah, sure(?: thing)?, right,
  exactly, indeed, true, absolutely, definitely, certainly, great, perfect, cool, nice, awesome,
  wonderful, lovely, brilliant, excellent, amazing, fine, good, sweet, wow, omg, please, sorry,
  (?:that['’]?s|that is|how|so|very) (?:great|nice|cool|lovely|good|awesome|wonderful|fun|sweet),
  got it, gotcha, understood, noted, saved, done, i see, oh, ah, aha, oops, ugh, meh, phew,
  h+m+, m+h*m+, (?:ha|he)+h?, lol, lmao, rofl, congrats, congratulations,
  how are you(?: (?:doing|today))?, what['’]?s up, how (?:can|may) i help(?: you)?(?: today)?,
  what can i do for you(?: today)?, let me know
`;
const GERMAN = String.raw`
  hallo, moin, servus, grüß (?:dich|gott|euch), guten? (?:morgen|tag|abend|nacht), gute nacht,
  mahlzeit, danke(?: (?:schön|sehr|dir|ihnen|euch|auch))?, dankeschön, vielen dank, tausend dank,
  besten dank, bitte(?: (?:schön|sehr|gern))?, gern(?:e)?(?: geschehen)?, tschüss?i?, tschau, ciao,
  bis (?:bald|dann|später|morgen|gleich|\p{L}+tag|nächste[ns]? \p{L}+),
  auf wiedersehen, mach['’]?s gut, schlaf gut,
  (?:einen )?(?:schönen|guten) (?:tag|abend|morgen|feierabend)(?: noch)?, schönes wochenende, ja,
  nein, nee, jo, jep, genau, klar, stimmt, richtig, super, toll, prima, schön, sehr (?:gut|schön),
  gut, alles (?:klar|gute), kein problem, verstanden, gemerkt, notiert, gespeichert, erledigt, ach,
  ach so, na(?: ja)?, naja, puh, echt, perfekt, wunderbar, klasse, herzlichen glückwunsch,
  glückwunsch, wie geht(?:['’]?s| es)(?: (?:dir|ihnen))?, wie kann ich (?:dir|ihnen|euch) helfen,
  was kann ich für (?:dich|sie|euch) tun, willkommen
`;
const SPANISH = String.raw`
  hola, buenas(?: (?:tardes|noches))?, buenos días, buen día, (?:muchas |mil |muchísimas )?gracias,
  de nada, adiós, chao, chau, hasta (?:luego|mañana|pronto|otra|el \p{L}+|la semana que viene),
  nos vemos(?: (?:luego|mañana|pronto|el \p{L}+|la semana que viene))?, que descanses, vale,
  sí, si, claro(?: que sí)?, perfecto, genial, estupendo, muy bien, bien, bueno, de acuerdo,
  entendido, anotado, guardado, hecho, listo, guay, (?:ja|je)(?:ja|je)+j?, uy, uf, vaya, exacto,
  por supuesto, qué (?:bien|bueno|bonito|mono|guay|tal|alegría|pena|rico), felicidades,
  enhorabuena, curioso, cómo (?:estás|está|vas), en qué (?:te|le) puedo ayudar,
  en qué puedo ayudar(?:te|le)?, por favor, perdón, bienvenid[oa], igualmente, ya
`;
const OTHERS = String.raw`
  bonjour, bonsoir, salut, merci(?: beaucoup)?, au revoir, d['’]accord, oui, non, buongiorno,
  grazie, prego, olá, obrigad[oa], tchau
`;
const HAN = String.raw`
  你好, 您好, 在吗, 在的, 嗨, 哈喽, 早上好, 早安, 上午好, 中午好, 下午好, 晚上好, 晚安, 早, 谢谢, 多谢, 感谢, 不客气, 不用谢,
  再见, 拜拜, 明天见, 回头见, 下周见, 下次见, 好, 嗯, 哦, 噢, 啊, 哈, 呵, 嘿, 是, 对, 没错, 不是, 不, 行, 可以, 没问题, 没事, 没关系,
  知道了, 明白, 了解, 收到, 记住了, 记下了, 已记住, 真棒, 太棒了, 太好了, 真好, 恭喜, 加油, 辛苦了, 抱歉, 对不起,
  有什么可以帮, 我能帮你什么, 我可以帮你什么, 请问, 你, 您, 的, 了, 呀, 吧, 吗, 呢, 啦, 哟, 嘛
`;
const PHRASES = [ENGLISH, GERMAN, SPANISH, OTHERS].join(',');
const BETWEEN = String.raw`[^\p{L}\p{N}]`;
const COURTESY = new RegExp(String.raw`^${BETWEEN}*(?:${oneOf(PHRASES)}(?:${BETWEEN}+|$))+$`, 'iu');
const COURTESY_HAN = new RegExp(String.raw`^(?:${oneOf(HAN)}|${BETWEEN})+$`, 'u');
/** Longer sentences say more than a courtesy and are not checked. */
const LETTERS_MAX = 60;
/** Punctuation and emoji, or the number of a list item. */
const NO_WORDS = /^(?:[^\p{L}\p{N}]*|\p{N}[.):]?)$/u;

/** Whether a sentence is only courtesies, emoji, punctuation or the number of a list item. */
export function saysNothing(sentence: string): boolean {
  if (sentence.length > LETTERS_MAX) return false;
  return [NO_WORDS, COURTESY, COURTESY_HAN].some((form) => form.test(sentence));
}
