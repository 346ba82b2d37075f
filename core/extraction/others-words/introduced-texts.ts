/**
 * Finds texts of others in what a user writes, by the words that introduce them: `Tim wrote me: I
 * moved`, `Fix my English: …`, `Can you reply to this?` above a letter. In English, German, Spanish
 * and Chinese.
 */
import { isAnyKin } from '../../text/people-words.ts';
import { anyOf, oneOf } from '../../text/pattern.ts';
import { findSentence } from '../../text/sentences.ts';
import { SURNAMES } from '../../text/chinese-surnames.ts';

const NO_LETTER = String.raw`(?!\p{L})`;
/** As `oneOf`, for whole words; an entry may have commas without a space behind them. */
function words(list: string): string {
  const entries = list
    .split(/,\s+/u)
    .map((entry) => entry.trim().replaceAll(/\s+/gu, ' ').replaceAll('| ', '|'));
  const named = entries.filter((entry) => entry !== '');
  return String.raw`(?<!\p{L})(?:${named.join('|')})${NO_LETTER}`;
}

/** Nouns of a text that somebody sends. */
const SENT = String.raw`
  messages?, texts?, mails?, e-?mails?, letters?, notes?, voicemails?, voice messages?, dms?,
  whatsapps?,
  posts?, repl(?:y|ies), comments?, nachricht, \p{L}*mail, brief, antwort, sms, kommentar, beitrag,
  sprachnachricht, mensajes?, correos?, cartas?, notas?, respuestas?, comentarios?, audios?
`;
/** Nouns of a text that somebody asks about. */
const WORDING = String.raw`
  english, german, spanish, french, chinese, grammar, spelling, wording, phrasing, punctuation,
  sentences?, texts?, phrases?, paragraphs?, drafts?, messages?, mails?, e-?mails?, letters?,
  essays?,
  posts?, captions?, deutsch, englisch, spanisch, grammatik, rechtschreibung, s[aä]tze?, textes?,
  formulierung, absatz, entwurf, nachricht, \p{L}*mail, brief, beitrag, aufsatz, inglés, español,
  alemán, gramática, ortografía, redacción, frases?, oraci(?:ón|ones), textos?, párrafos?, borrador,
  mensajes?, correos?, cartas?
`;
const THIS = String.raw`
  this, these, it, the following, da[sz], dies(?:e[rsmn]?)?, folgende[rsmn]?, est[aeo]s?,
  l[ao] siguiente, el siguiente
`;

/** Who speaks for himself, is asked, or is named without a name: not somebody else. */
const NOT_OTHERS = new RegExp(
  words(String.raw`
    i, i['’]\p{L}+, we, we['’]\p{L}+, you, let, let['’]s, be said, ich, wir, du, man, yo, nosotros,
    tú, se dice
  `) +
    String.raw`|^\W*(?:as|like|wie|como)${NO_LETTER}|(?<!\p{L})(?:wrote|sent|posted|forwarded)` +
    String.raw`(?: me| us)? (?:an?|the) (?!(?:\p{L}+ ){0,2}${oneOf(SENT)})`,
  'iu',
);
const SAYS = anyOf(
  words(String.raw`
      wrote, writes, texted, texts me, messaged, e-?mailed, posted, tweeted, replied, replies,
      answered,
      responded, commented, sent, sends, forwarded, said, says, told (?:me|us|\p{Lu}\p{L}+), tells,
      introduced (?:him|her|them)sel(?:f|ves), goes, reads,
      schrieb(?:en)?, schreibt, textet\p{L}*, antwortet\p{L}*, sagt(?:e|en)?, meint(?:e|en)?,
      postet\p{L}*, schickt(?:e|en)?, erzählt(?:e|en)?, mailt(?:e|en)?, leitete\p{L}*,
      stellt(?:e|en)? sich, kommentiert\p{L}*,
      (?:hat|haben|hatte)\s(?:[^:]*\s)?(?:(?:ge|weiterge)\p{L}+|
      vorgestellt|erzählt|kommentiert),
      (?:geschrieben|gepostet|gesagt|geschickt|gemailt|geantwortet|erzählt) (?:hat|haben|hatte),
      (?:von|vom) (?:\p{L}+ ){1,3}(?:kam|kommt)(?: \p{L}+)?, escribió, escribieron, dijo, dijeron,
      contó, mandó, envió,
      respondió, contestó, comentó, publicó, (?:ha|han|había) (?:escrito|dicho|contado|mandado|
      enviado|respondido|contestado|comentado|publicado), se present(?:ó|a),
      (?:me|nos|le|les) (?:escribe|dice|cuenta|manda|envía|responde|contesta)n?,
      \p{L}+ (?:escribe|dice)n?, acaban? de (?:escribir|decir|mandar|enviar|contar)(?:me|nos)?
    `),
);
const RECEIVED = anyOf(
  String.raw`(?<!\p{L})${oneOf(SENT)}\s(?:just in\s)?(?:from|by|of|von|vom|de|del)\s` +
    String.raw`(?!(?:me|my side|mir|meiner seite|mí|mi parte)${NO_LETTER})`,
  String.raw`(?<!\p{L})(?:got|received|found|saw)\s(?:\p{L}+\s)?${oneOf(THIS)}` +
    String.raw`(?:\s(?:from|by|via|in|today|yesterday|just now|this \p{L}+)${NO_LETTER}|` +
    String.raw`\s${oneOf(SENT)}|$)`,
  String.raw`(?<!\p{L})(?:this|it|da[sz]|dies\p{L}*) (?:just )?` +
    String.raw`(?:came|arrived|landed|kam)${NO_LETTER}`,
  String.raw`(?<!\p{L})(?:habe?|hab ich|bekam)\s[^:]*(?:bekommen|erhalten|gekriegt)\s*$`,
  String.raw`(?<!\p{L})(?:recibí|me llegó|me ha llegado|he recibido)\s(?:hoy\s)?${oneOf(THIS)}`,
);
const HAN_WHO =
  `(?:[他她]们?|[妈爸哥姐弟妹爷奶叔姑舅姨嫂]|老[板师公婆]|同[事学]|朋友|经理|领导|邻居|医生|房东|` +
  `客户|[儿孙]子|女儿|室友|表[哥姐弟妹]|[小老阿]\\p{Script=Han}|[${SURNAMES}]\\p{Script=Han}{1,2})`;
/** `我妈` is somebody else, and `我跟妈妈` is not. */
const HAN_SAYS = new RegExp(
  `(?:^|(?<=[，,]))(?:今天|昨天|刚才?|我们?的?|一个|新)*${HAN_WHO}(?:今天|昨天|刚才?|又|就|都|给我|对我|跟我|` +
    `在[群里微信朋友圈]{1,5})*(?:写道|写信|来信|来消息|来短信|留言|说道?|回复|回[了我]?|告诉我|介绍|自我介绍|` +
    `发(?:来|了?(?:一?条)?(?:消息|短信|微信|邮件|朋友圈)|给我|信))[^：:我]{0,8}$|` +
    `的原话[^：:]{0,2}$|(?:收到|来自)[^：:]{0,12}(?:消息|短信|邮件|来信|留言|微信|信)[^：:]{0,4}$`,
  'u',
);

/** Asks to work on a text: `Fix my English:`. */
const WORK_ON = anyOf(
  words(String.raw`
      translat(?:e|ion), turn (?:this|it) into[^:]{0,30}, proofread, rephrase, reword, paraphrase,
      rewrite, summari[sz]e, tl;?dr please,
      make (?:this|it|the following|my \p{L}+)(?: \p{L}+){0,3} (?:sound|read|\p{L}+er|formal|polite|
      better|short|more \p{L}+|less \p{L}+)(?: \p{L}+){0,2},
      how (?:do|would|can|should) (?:you|i|we) say(?: [^:]{1,30})?, how to say(?: [^:]{1,30})?,
      how does (?:this|it) sound, (?:reply|respond|react) to (?:this|that|it|the following),
      übersetz(?:e|en|t)?, umformulier(?:e|en), formulier(?:e|en)?, korrigier(?:e|en)?,
      korrektur lesen, gegenlesen, lektorier(?:e|en)?,
      fasse? [^:]{0,40}zusammen,
      mach(?:e|st du)? (?:das|dies|diesen \p{L}+|den \p{L}+)(?: \p{L}+){0,2}
      \p{L}+(?:er|ig|lich|ell|rz),
      wie klingt (?:das|dies), wie sagt man(?: [^:]{1,30})?, antworte (?:bitte )?(?:darauf|hierauf),
      traduc(?:e|ir|eme), reformula(?:r|me)?, reescrib(?:e|ir), resum(?:e|ir|en),
      corrig(?:e|es|eme),
      corregir(?:me)?, haz que [^:]{0,40}suene[^:]{0,20}, cómo suena(?: esto)?,
      cómo se dice(?: [^:]{1,30})?, respond(?:e|er) a est[oea]
    `),
  String.raw`(?<!\p{L})${oneOf(`
      fix, check, correct, improve, polish, edit, shorten, simplify, revise, tidy up, clean up,
      spell-?check, grade, verbesser(?:e|n|st|t)?, überarbeite\\p{L}*, prüfe?n?,
      kontrollier(?:e|en)?,
      kürz(?:e|en), glätte\\p{L}*, mejor(?:a|ar|as|ame), revis(?:a|ar|as|ame), pul(?:e|ir),
      acort(?:a|ar), edit(?:a|ar), arregl(?:a|ar|as|ame)
    `)}\s(?:[^:.!?]{0,40}\s)?${oneOf(WORDING)}${NO_LETTER}`,
  String.raw`(?<!\p{L})(?:improve|polish|shorten|simplify|verbessere|überarbeite|kürze|mejora|` +
    String.raw`acorta)\s${oneOf(THIS)}${NO_LETTER}`,
  '翻译|润色|改写|校对|缩写|(?:修改|纠正|检查|优化|改|看|简化)(?:一?下)?' +
    '(?:这|我?的?(?:语法|英[语文]|中文|德[语文]|句子|表达|病句|作文|文字))|' +
    '(?:回复|回信|回)(?:一下)?(?:这[条封个]?[^：:]{0,4})?$|怎么(?:说|翻译)',
);
/** Names a text for others, or one of nobody: `Subject line idea:`, `For example:`. */
const TITLE = new RegExp(
  String.raw`^\W*(?:(?:my|mein|mi|possible|new)\s)?${oneOf(`
    subject line, headline, caption, slogan, tweet, draft, lyrics, sample sentence,
    (?:for |an )?example(?: sentences?)?, betreff, betreffzeile, überschrift, entwurf, slogan,
    songtext, (?:zum |ein )?beispiel, beispiels[aä]tze?, asunto, titular, borrador, letra, eslogan,
    (?:por |un )?ejemplo, (?:frase|oración) de ejemplo
  `)}(?:[ -](?:ideas?|drafts?|suggestions?|options?|vorschlag|\d+|` +
    String.raw`(?:in|from|aus|für|for|de|para)\s[^:]{1,40}))?\s*$|` +
    String.raw`^(?:idea|propuesta) de (?:asunto|título|titular)\s*$|` +
    '^(?:例句|例如|比如|举例|标题|文案|草稿|歌词|台词)[^：:]{0,6}$',
  'iu',
);
/** Asks whether a text is well written. */
const IS_IT_RIGHT = anyOf(
  String.raw`^\W*(?:(?:and|so|hi|hey),? )?(?:is|are|was) (?:this|these|the|my|the following) ` +
    String.raw`(?:[^?]{0,20}\s)?${oneOf(WORDING)}(?:\s[^?]{1,40})?$`,
  String.raw`^\W*is (?:this|it) (?:[^?]{0,20}\s)?(?:grammatical\p{L}*|idiomatic|` +
    String.raw`(?:well|correctly) (?:written|spelled|phrased|worded)|(?:written|spelled|` +
    String.raw`phrased|worded) (?:well|right|correctly)|` +
    String.raw`(?:good|correct|proper) ${oneOf(WORDING)})` +
    String.raw`(?:\s[^?]{1,30})?$`,
  String.raw`(?<!\p{L})(?:does|do) (?:this|it|these|my ${oneOf(WORDING)})(?: \p{L}+){0,2} ` +
    String.raw`(?:sound|read)(?:\s[^?]{1,30})?$|how does (?:this|it) sound$`,
  String.raw`(?<!\p{L})(?:any|an?) (?:\p{L}+ )?(?:mistakes?|errors?|typos?)` +
    String.raw`(?: here| there| in (?:it|this|that|(?:this|my) ${oneOf(WORDING)}))?$|` +
    String.raw`what(?: is|['’]s) wrong with (?:this|my) ${oneOf(WORDING)}$`,
  String.raw`^\W*(?:ist|sind|stimmt) (?:de[rn]|die|das|dies\p{L}*|mein\p{L}*|folgende\p{L}*) ` +
    String.raw`${oneOf(WORDING)}(?:\s[^?]{1,40})?$`,
  String.raw`^\W*(?:ist|stimmt) (?:das|dies|es) (?:so )?(?:(?:grammatikalisch|grammatisch|` +
    String.raw`sprachlich|orthografisch)(?:\s[^?]{1,30})?|` +
    String.raw`(?:richtig|korrekt|gut|falsch) (?:geschrieben|formuliert|ausgedrückt|gesagt)|` +
    String.raw`(?:gutes|richtiges|korrektes) \p{L}+)$`,
  String.raw`^\W*klingt (?:das|dies\p{L}*|mein \p{L}+)(?:\s[^?]{1,30})?$|sagt man das(?: so)?$|` +
    String.raw`(?<!\p{L})(?:fehler|tippfehler)(?: drin| darin| dabei)?$`,
  String.raw`^\W*(?:est[áa]|es) (?:(?:bien|correctamente|mal) (?:escrit|dich|redactad|` +
    String.raw`formulad)[oa]|(?:correct|gramatical)\p{L}* (?:est[ea] )?${oneOf(WORDING)}|` +
    String.raw`(?:bien|correct[oa]) (?:est[ea]|mi|la|el) ${oneOf(WORDING)}|` +
    String.raw`gramaticalmente[^?]{0,30})(?:\s[^?]{1,30})?$`,
  String.raw`^\W*(?:est[ea]|mi|la|el) ${oneOf(WORDING)} (?:est[áa]|es|suena)(?:\s[^?]{1,30})?$|` +
    String.raw`^\W*(?:suena|se dice así)(?:\s[^?]{1,30})?$|^\W*(?:hay|tiene)(?:\s\p{L}+)? ` +
    String.raw`(?:errores|faltas|algún error)(?:\s[^?]{1,30})?$`,
  '(?:这句?话?|这个句子|这段[话文字]*|句子|语法)[^？?]{0,8}(?:对|通顺|正确|自然|地道|得体|错|问题|语病)' +
    '[^？?]{0,4}$|这[样么](?:说|写|表达)[^？?]{0,8}$|有(?:没有)?(?:语法|拼写)?(?:错误|错别字|语病)[^？?]{0,4}$',
);
/** Asks about a text that stands below: `Can you reply to this?`. */
const ABOUT_BELOW = anyOf(
  words(String.raw`
      (?:reply|respond|react|answer) (?:to )?(?:this|that|it|the following),
      how (?:do|should|would|can) (?:i|you) (?:reply|respond|answer)(?: to)?
      (?:this|that|it|him|her|them),
      what (?:do|should|would) i (?:reply|respond|answer|say)(?: to)? (?:this|that|it|him|her|them),
      what (?:do you think|do you make) of (?:this|that), what does (?:he|she|this) mean,
      (?:read|see|check|look at) (?:this|that),
      (?:darauf|hierauf) (?:\p{L}+ )?(?:antworten|reagieren|erwidern), antworte darauf,
      was (?:hältst|haltet|meinst) (?:du|ihr)(?: davon| dazu)?, was antworte ich(?: darauf| da)?,
      wie (?:antworte|reagiere) ich(?: darauf)?, was meint (?:er|sie)(?: damit)?,
      ayúdame a (?:contestar|responder), me ayudas a (?:contestar|responder)(?:lo|le|les)?,
      (?:responder|contestar|responde|contesta)(?:le)? (?:a )?esto,
      qué (?:opinas|te parece)(?: de esto)?,
      (?:qué|cómo) (?:le |les )?(?:respondo|contesto)(?: a esto)?
    `) + String.raw`(?:\s[^?]{0,30})?$`,
  '(?:回复|回信|回答|回)(?:一下)?[^？?]{0,6}$|怎么(?:回|看)[^？?]{0,6}$|什么意思[^？?]{0,4}$',
);
/** A play in which its author is somebody else. */
const PLAYS = new RegExp(
  words(String.raw`
    role[ -]?play(?:ing)?, pretend (?:that )?(?:i|we)(?:['’]\p{L}+)?,
    imagine (?:that )?i (?:was|were), rollenspiel, (?:tun wir|tue?) so(?=,? als),
    stell dir vor,? ich wäre,
    juego de rol(?:es)?, finge que,
    imagina que (?:yo )?(?:soy|fuera), hagamos como (?:que|si), haz como (?:que|si), juguemos a que
  `) + '|角色扮演|假装|扮演|(?:想象|假设)我是',
  'iu',
);

/** The greeting of a letter to somebody by name: `Hi Dana,`, `小丹你好，`. */
const GREETS =
  String.raw`(?:(?:[Dd]ear|[Hh]i|[Hh]ey|[Hh]ello|[Gg]ood (?:morning|evening)|[Ll]iebe[rs]?|` +
  String.raw`[Hh]allo|[Hh]i|[Ss]ehr geehrte[rn]?|[Gg]uten (?:Tag|Morgen)|[Mm]oin|[Hh]ola|` +
  String.raw`[Qq]uerid[oa]s?|[Ee]stimad[oa]s?|[Bb]uen[oa]s (?:días|tardes))` +
  String.raw`(?: (?:\p{Lu}[\p{L}.'’-]*|all|everyone|team|alle|zusammen|tod[oa]s)){1,3}\s*[,!:：，]|` +
  String.raw`(?:亲爱的|尊敬的)?\p{Script=Han}{1,4}[，,]?(?:你好|您好)[，,!！:：]?|` +
  String.raw`(?:亲爱的|尊敬的)\p{Script=Han}{1,6}[，,!！:：])`;
const GREETING = new RegExp(String.raw`^[ \t]*${GREETS}`, 'u');
/** A greeting without a name, on a line of its own. */
const GREETING_LINE = /^[ \t]*(?:hi|hey|hello|hallo|hola|moin|你好|您好)[ \t]*[,!，！]?[ \t]*$/iu;
/** The end of a letter. */
const SIGN_OFF = new RegExp(
  String.raw`(?:^|(?<=[.!?。！]\s?))[ \t]*${oneOf(String.raw`
    (?:all the |my )?best(?: wishes| regards)?, (?:kind|warm|best)(?:est)? (?:regards|wishes),
    regards,
    cheers, sincerely, yours(?: \p{L}+)?, love, take care, xoxo, lg, vg, mfg, gru(?:ß|ss), deine?,
    (?:mit )?(?:freundlichen?|liebe[nr]?|herzlichen?|vielen?|beste[nr]?) gr[uü](?:ß|ss)(?:e|en)?,
    (?:un |muchos |cordiales )?(?:saludos?|abrazos?|besos?), atentamente, (?:un )?cordial saludo,
    此致,
    敬礼, 祝好, 祝[你您]\p{Script=Han}+
  `)}[,.!，。！]?(?:[ \t]+(?:(?:de|from|von)\s)?(?:\p{Lu}[\p{L}.'’-]*[ \t]?){1,3})?` +
    String.raw`[ \t]*(?:\n[ \t]*(?:\p{Lu}[\p{L}.'’-]*[ \t]?){1,3}|\n[ \t]*\p{Script=Han}{1,4})?` +
    String.raw`[ \t]*(?=\n|$)`,
  'gimu',
);

/** Opens a paragraph below a text of others in which the user speaks again. */
const TURNS_BACK = new RegExp(
  String.raw`^(?:\W*${oneOf(`
    btw, by the way, anyway, as for me, personally, for my part, (?:and )?my own, i myself, myself,
    übrigens, was mich betrifft, (?:und )?ich selbst, ich persönlich, mein\\p{L}* eigene\\p{L}*,
    por cierto, a propósito, por mi parte, en cuanto a mí, yo mism[oa], (?:y )?mi propi[oa]
  `)}${NO_LETTER}|\W*(?:i|my|ich|mein\p{L}*|yo|mi)\s(?:\S+\s){0,3}${oneOf(`
    myself, own, by the way, btw, though, however, übrigens, selbst, dagegen, hingegen, aber,
    en cambio, por cierto, mism[oa]
  `)}${NO_LETTER}|(?:顺便|对了|另外|我自己|我本人|而我|至于我))`,
  'iu',
);
/** A sentence that leaves the play. */
const IN_EARNEST = new RegExp(
  words(String.raw`
    in real life, in reality, irl, im echten leben, in wirklichkeit, im wirklichen leben,
    en la vida real,
    en realidad
  `) + '|现实中|现实里|其实我',
  'iu',
);
/** A letter may say this of itself. */
const POSTSCRIPT = /^\W*(?:p\.?\s?s\.?|pd)(?![\p{L}])/iu;
/** A line that ends a pasted text; a mail's own has two hyphens. */
const SEPARATOR = /(?:^|\n)[ \t]*(?:-{3,}|={3,}|\*{3,}|_{3,})[ \t]*\n/gu;

/** Returns what the user adds below a text of others, from the beginning of that text on. */
export function addedBelow(text: string): string {
  const signed = [...text.matchAll(SIGN_OFF)].at(-1);
  const closed = signed === undefined ? 0 : signed.index + signed[0].length;
  const separated = [...text.matchAll(SEPARATOR)].at(-1);
  const cut = separated === undefined ? 0 : separated.index + separated[0].length;
  if (cut > closed && !GREETING.test(text.slice(cut))) return text.slice(cut).trim();
  const after = text.slice(closed);
  const paragraph = /\n[ \t]*\n/u.exec(after);
  if (signed !== undefined && paragraph !== null && after.slice(0, paragraph.index).trim() === '') {
    const added = after.trim();
    return POSTSCRIPT.test(added) ? '' : added;
  }
  // A letter says "by the way" too, so its end must be known.
  const isLetter = GREETING.test(text.trim()) && signed === undefined;
  const below = paragraph === null || isLetter ? '' : after.slice(paragraph.index);
  return sentencesFrom(below, (sentence) => TURNS_BACK.test(sentence));
}

/** Returns the part of a text from the first sentence on that the user says in his own name. */
export function saidInOwnName(text: string): string {
  return sentencesFrom(text, (each) => TURNS_BACK.test(each) || IN_EARNEST.test(each));
}

function sentencesFrom(text: string, isOwn: (sentence: string) => boolean): string {
  const first = findSentence(text, ({ start, end }) => isOwn(text.slice(start, end).trim()));
  return first === undefined ? '' : text.slice(first.start).trim();
}

/** The mark at the end of a clause that leads to what follows, which is looked for behind it. */
const LEAD = new RegExp(
  String.raw`(?=[:：?？–—])(?<=(?<lead>[^.!?。！？:：\n–—]{1,200}))` +
    String.raw`(?<mark>[:：](?=\s|\p{Script=Han}|$)|[?？]|[–—])`,
  'gu',
);
/** Quotations and quoted lines have rules of their own. */
const QUOTED = /^\s*(?:["'“„«»「『‘>]|```)/u;

/** Maximum texts of others in one message; the rest of it is taken for theirs. */
export const TEXTS_MAX = 20;

/** Removes the texts of others from what a user writes, with the words that lead to them. */
export function withoutIntroducedTexts(content: string): string {
  return withoutTexts(content, TEXTS_MAX);
}

function withoutTexts(content: string, most: number): string {
  const found = othersFrom(content);
  if (found === null) return content;
  const others = content.slice(found.text);
  const own = found.kind === 'Play' ? saidInOwnName(others) : belowOf(others, found.kind);
  const rest = most === 1 ? '' : withoutTexts(own, most - 1);
  return `${content.slice(0, found.start)}\n${rest}`;
}

/** What stands in the line of its lead ends with its paragraph, unless it greets somebody. */
function belowOf(others: string, kind: Kind): string {
  const added = addedBelow(others);
  const [first = ''] = others.trim().split('\n', 1);
  const isLetter = GREETING.test(first.trim()) || GREETING_LINE.test(first);
  if (added !== '' || kind === 'Below' || isLetter) return added;
  const end = /\n[ \t]*\n/u.exec(others.trimStart());
  return end === null ? '' : others.trimStart().slice(end.index).trim();
}

/** Where a text of others stands: in the line of its lead, below it, or in a play up to its end. */
type Kind = 'InLine' | 'Below' | 'Play';

interface OthersText {
  /** Where its lead begins, if the user tells nothing there. */
  readonly start: number;
  readonly text: number;
  readonly kind: Kind;
}

/** Returns the first text of others. */
function othersFrom(content: string): OthersText | null {
  const found = [playIn(content), leadIn(content), letterIn(content)].filter(
    (each) => each !== null,
  );
  return found.toSorted((a, b) => a.text - b.text)[0] ?? null;
}

function playIn(content: string): OthersText | null {
  const play = PLAYS.exec(content);
  if (play === null) return null;
  const start = findSentence(content, ({ end }) => end > play.index)?.start ?? play.index;
  return { start, text: start, kind: 'Play' };
}

function leadIn(content: string): OthersText | null {
  for (const { index, groups } of content.matchAll(LEAD)) {
    const text = index + 1;
    const below = content.slice(text);
    const lead = groups?.['lead']?.trim() ?? '';
    if (below.trim() === '' || QUOTED.test(below)) continue;
    if (!leadsToOthers(lead, groups?.['mark'] ?? '', below)) continue;
    const kind = BEGINS_BELOW.test(below) ? 'Below' : 'InLine';
    const isTold = OWN_SUBJECT.test(lead) && !RECEIVED.test(lead);
    return { start: isTold ? text : index - (groups?.['lead']?.length ?? 0), text, kind };
  }
  return null;
}

/** Returns the letter to the user below the user's own words. */
function letterIn(content: string): OthersText | null {
  for (let start = 0; ;) {
    const newline = content.indexOf('\n', start);
    const line = content.slice(start, newline === -1 ? content.length : newline);
    const isNamed = GREETING.test(line);
    if (isNamed || GREETING_LINE.test(line)) {
      const above = content.slice(0, start).trim();
      const isLetter = above !== '' && (isNamed || ASKS.test(above));
      if (isLetter) return { start, text: start, kind: 'Below' };
    }
    if (newline === -1) return null;
    start = newline + 1;
  }
}

/** `How do I say this?` is often about one's own words below. */
const ASKS_HOW = /^\W*(?:and |und |y )?(?:how|what|wie|was|cómo|qué)(?!\p{L})|怎么/iu;
const OF_THIS = new RegExp(words(THIS), 'iu');
/** Asks for work on what stands below: `Adapt this:`, `Five more items in this style:`. */
const WORK_BELOW = anyOf(
  words(`
    ${THIS}, below, style, continue, review, adapt, explain, add, more, unten, stil, weitere?,
    brauche?, prüf\\p{L}*, esto, abajo, estilo, continúa, revisa\\p{L}*, adapta\\p{L}*,
    explica\\p{L}*
  `),
  '这|以下|下面|接着|继续|续写|往下写',
);
/** Leads to what the user wants to be kept. */
const KEEPS = anyOf(
  words(`
    remember, note, keep, background, context, about me, facts?, rules?, merk\\p{L}*, notier\\p{L}*,
    hintergrund, kontext, regeln, recuerda, anota, ten en cuenta, contexto, reglas,
    (?:this|these|here) (?:is|are), (?:das|dies|hier) (?:ist|sind), est[aeo]s? (?:es|son)
  `),
  '记|背景|规则|这(?:些|里)?是',
);
/** The end of a line above a letter. */
const ASKS = /[?？:：]$/u;
const BEGINS_BELOW = /^[^\S\n]*\n/u;

function leadsToOthers(lead: string, mark: string, below: string): boolean {
  if (/[?？]/u.test(mark)) {
    if (WORK_ON.test(lead) && OF_THIS.test(lead) && !ASKS_HOW.test(lead)) return true;
    return IS_IT_RIGHT.test(lead) || (BEGINS_BELOW.test(below) && ABOUT_BELOW.test(lead));
  }
  if (/[–—]/u.test(mark)) return isAttribution(lead) && OPENS_WITH_I.test(below);
  if (GREETING.test(below) && !BEGINS_BELOW.test(below)) return true;
  const isWork = BEGINS_BELOW.test(below) && WORK_BELOW.test(lead) && !KEEPS.test(lead);
  return isWork || isAttribution(lead) || isPerson(lead) || WORK_ON.test(lead) || TITLE.test(lead);
}

/** A lead in which the user may tell of himself: `I live in Leeds, and Tim wrote`. */
const OWN_SUBJECT =
  /(?<!\p{L})(?:I|[Ii]ch|[Yy]o|[Vv]ivo|[Ss]oy|[Tt]rabajo)(?!\p{L})|我[住在是叫对]/u;
const OPENS_WITH_I =
  /^\s*(?:I|I['’]\p{L}+|My|Hi|[Ii]ch|[Mm]ein\p{L}*|[Yy]o|[Ss]oy|[Mm]e|[Mm]i|我)(?!\p{L}{2})/u;

function isAttribution(lead: string): boolean {
  if (HAN_SAYS.test(lead)) return true;
  return RECEIVED.test(lead) || (SAYS.test(lead) && !NOT_OTHERS.test(lead));
}

/** `My cousin`, before a colon. */
function isPerson(lead: string): boolean {
  const { who } =
    /^\W*(?:my|our|meine?|unsere?|mi|mis|el|la)\s(?<who>\p{L}+)$/iu.exec(lead)?.groups ?? {};
  return who !== undefined && isAnyKin(who.toLowerCase());
}
