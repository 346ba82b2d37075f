/**
 * Recognizes requests for a text ("Write a text about Otto", "Schreib dem Vermieter", "escríbele a
 * Ana", "给房东写封邮件"), in English, German, Spanish and Chinese.
 */
import { oneOf } from '../../text/pattern.ts';

/** By language: verbs, and what is written with them. */
const WRITTEN = {
  en: [
    `write, draft, compose, word, phrase, formulate, reword, rewrite, prepare, put together, make,
    give, send, create, do, need, want, help me with`,
    `texts?, e-?mails?, messages?, letters?, notes?, (?:birthday |post|thank-you )?cards?,
    invitations?, invites?, repl(?:y|ies), speech, toast, captions?, tweets?, posts?,
    blurb, bio, summary, story, poem, ad, advert, announcement, newsletter, reminder, notice, flyer,
    report, memo, descriptions?, eulogy, review, thank-?you, article, essay, press release,
    obituary`,
  ],
  de: [
    String.raw`(?:schreib|verfass|formulier|entwirf|entwerf|erstell|mach|gib|schick|send|brauch|
    tipp|bereit|setz)\p{L}*`.replaceAll(/\s+/gu, ''),
    String.raw`\p{L}*texte?n?, \p{L}*mails?, Nachricht(?:en)?, \p{L}*briefe?n?, \p{L}*karten?,
    Einladung(?:en)?, Rede, Beitrag, Gedicht, Geschichte, Bewerbung,
    \p{L}*schreiben, Absage, Zusage, Kündigung, Zusammenfassung, Bericht, Aushang, SMS, Entwurf,
    Artikel, Aufsatz, Anzeige, Notiz, Erinnerung, Zeilen, (?:paar|nette) Worte`,
  ],
  es: [
    String.raw`(?:escr[ií]b|redact|prepar|haz|hag|comp[oó]n|env[ií]|mand|necesit|quier|dame|deme|
    ayúd)\p{L}*`.replaceAll(/\s+/gu, ''),
    `textos?, correos?, e-?mails?, mensajes?, cartas?, notas?, postal(?:es)?, tarjetas?,
    invitaci[oó]n(?:es)?, respuestas?, discurso, poema, cuento, publicaci[oó]n, anuncio, resumen,
    informe, felicitaci[oó]n, art[ií]culo, líneas, recordatorio, aviso, reseña`,
  ],
} as const;
/** A few words between them. */
const FEW = String.raw`(?:[^\s.,;:?!]+ ){0,5}?`;
const WHOM = {
  en: String.raw`(?:(?:my|our|the|his|her|this|that) \p{L}+|him|her|them)`,
  de: String.raw`(?:(?:de[mnr]|meine[mnr]?|unsere[mnr]?) \p{L}+|ihm|ihr|ihnen)`,
};
/** To whom something is written, where no word says what: `text my boss that …`. */
const TO_SOMEBODY = oneOf(String.raw`
  (?:write|reply|respond|answer|text|e-?mail|message)(?: back)?(?: to)? ${WHOM.en},
  (?:schreibe?|antworte?|mail)(?: bitte| mal)? ${WHOM.de},
  (?:escr[ií]b[ea]|cont[eé]sta|resp[oó]nde)(?:me)?l[eo]s?
`);
const TO_SOMEBODY_NAMED = new RegExp(
  String.raw`^(?:(?:Please|Bitte|Por favor),? )?${oneOf(`
    (?:[Ww]rite|[Rr]eply|[Rr]espond|[Aa]nswer|[Tt]ext|[Ee]-?mail|[Mm]essage)(?: back)?(?: to)?,
    (?:[Ss]chreibe?|[Aa]ntworte?)(?: bitte| mal)?(?: an)?(?: Frau| Herrn?)?,
    (?:[Ee]scribe|[Cc]ontesta|[Rr]esponde) a
  `)} (?:(?:Mr|Mrs|Ms|Dr)\.? )?\p{Lu}`,
  'u',
);
const HAN_TEXT =
  '信|邮件|短信|消息|文案|文章|文字|通知|请柬|邀请|贺卡|卡片?|回复|诗|故事|稿子?|总结|报告|帖子?|朋友圈|' +
  '微博|便条|留言|悼词|祝福|简介|公告|条';

const REQUEST = new RegExp(
  [
    ...Object.values(WRITTEN).map(
      ([verbs, texts]) =>
        String.raw`(?<![\p{L}\p{N}])${oneOf(verbs)} ${FEW}${oneOf(texts)}(?!\p{L})`,
    ),
    String.raw`(?<!\p{L})${oneOf(WRITTEN.de[1])} ${FEW}` +
      String.raw`(?:schreiben|verfassen|formulieren|entwerfen|aufsetzen|schicken)(?!\p{L})`,
    String.raw`(?<!\p{L})(?:write|draft|compose) ${FEW}(?:something|lines?|an? answer)(?!\p{L})`,
    String.raw`(?<!\p{L})schreib\p{L}* ${FEW}(?:etwas|was|eine Antwort)(?!\p{L})`,
    String.raw`(?<!\p{L})${TO_SOMEBODY}(?!\p{L})`,
    `(?:写|起草|草拟|拟|编|回)[^，。？！\\s]{0,14}?(?:${HAN_TEXT})`,
    '[给替帮].{1,10}(?:写|回)(?:[一几两封条个点段下]|信|房东)',
  ].join('|'),
  'iu',
);
/** Asks about a text that exists, or how to write one. */
const ASKS_ABOUT = new RegExp(
  String.raw`^\P{L}*(?:${oneOf(`
    who\\p{L}*, what, when, where, which, why, how, did, do, does, has, have, was, were, is, are, i,
    we, wer, wem, was, wann, wo, welche\\p{L}*, warum, wie, habe?, hat, hast, ist, sind, war,
    ich (?!brauche|möchte|muss), qui[eé]n\\p{L}*, qu[eé], cu[aá]ndo, d[oó]nde, cu[aá]l\\p{L}*,
    c[oó]mo, por qu[eé], he, ha
  `)})(?!\p{L})(?! (?:need|want|would like))|谁|什么时候|哪|多少|怎么|写[了过]`,
  'iu',
);

/** Whether a question asks the assistant to write something. */
export function requestsText(question: string): boolean {
  if (ASKS_ABOUT.test(question)) return false;
  return REQUEST.test(question) || TO_SOMEBODY_NAMED.test(question);
}
