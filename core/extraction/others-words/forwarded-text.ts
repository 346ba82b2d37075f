/**
 * Finds forwarded and pasted texts in a message by their form: header lines of an e-mail, the
 * beginning of a letter, a block between triple marks.
 */
import { oneOf } from '../../text/pattern.ts';
import { addedBelow, TEXTS_MAX } from './introduced-texts.ts';

const HEADERS = String.raw`
  from, to, cc, subject, date, sent, reply-to, von, an, betreff, datum, gesendet, de, para, asunto,
  fecha, enviado(?: el)?, 发件人, 收件人, 抄送, 主题, 日期, 发送时间
`;
const HEADER_LINES = new RegExp(
  String.raw`(?:^[ \t>*]*${oneOf(HEADERS)}[ \t*]*[:：].*(?:\n|$)){2,12}`,
  'gimu',
);
/** A sign that header lines belong to an e-mail: `From: Leeds`, `To: York` is a journey. */
const OF_MAIL = /@|^[ \t>*]*(?:subject|betreff|asunto|主题)/imu;
const FORWARDED = new RegExp(
  [
    String.raw`^[ \t]*-{2,} ?(?:original|forwarded|ursprüngliche|weitergeleitete|mensaje|原始|转发)`,
    String.raw`^[ \t]*begin forwarded message`,
    String.raw`^(?:On .{5,80} wrote|Am .{5,80} schrieb.{0,60}|El .{5,80} escribió)\s*:`,
    String.raw`^在.{5,60}写道\s*[:：]`,
  ].join('|'),
  'imu',
);
/** The beginning of a letter below a line such as `Here is the customer's mail:`. */
const LETTER = new RegExp(
  String.raw`[:：][ \t]*\n\s*` +
    oneOf(String.raw`
      dear, hi, hello, to whom, good (?:morning|afternoon|evening|day), sehr geehrte[rn]?,
      liebe[r]?, hallo, guten tag, estimad[oa]s?, querid[oa]s?, hola,
      buen[oa]s (?:días|tardes), 尊敬的, 亲爱的, 您好
    `) +
    String.raw`(?![\p{L}\p{N}])`,
  'iu',
);
const TEXTS = String.raw`
  e-?mails?, mails?, messages?, letters?, chats?, threads?, posts?, articles?, reviews?, tweets?,
  transcripts?, documents?, paragraphs?, excerpts?, comments?, texts?, conversations?, essays?,
  nachricht(?:en)?, briefe?s?, beitr[aä]ge?s?, artikels?, rezension(?:en)?, bewertung(?:en)?,
  dokuments?, abs[aä]tze?, ausz[uü]ge?, kommentare?, textes?, gespräche?s?, correos?,
  mensajes?, cartas?, publicaci(?:ón|ones), artículos?, reseñas?, documentos?, párrafos?,
  fragmentos?, comentarios?, textos?, conversaci(?:ón|ones)
`;
const HAN_TEXTS = '邮件|消息|短信|来信|封信|聊天记录?|帖子|文章|评论|评价|文本|段话|对话|留言';
const THIS = String.raw`
  this, these, the following, diese[rsmn]?, folgende[rsmn]?, este, esta, estos, estas, siguientes?
`;
const LEADING_LINE = /[:：?？][ \t]*\n/u;
/**
 * A line about the text of somebody below it: `Here is the mail of Karim:`, `What does this message
 * mean?`. One that begins with a subject, or is about a text of the reader's, is about what its
 * sender says: `Regarding the mail:`.
 */
const ABOUT_TEXT = new RegExp(
  String.raw`^(?!\W*${oneOf(`
    re, regarding, concerning, about, as for, betreff(?:end)?, wegen, bezüglich, zu, sobre,
    respecto, sorry, thanks, danke, entschuldig\\p{L}*, gracias, perdón
  `)}(?!\p{L})|\P{L}*(?:关于|谢谢|感谢))(?![^\n]*(?<!\p{L})(?:your|deine\p{L}*|tus?)\s|[^\n]*[你您]的)` +
    String.raw`(?:[^\n]{0,160}(?:(?<!\p{L})${oneOf(TEXTS)}(?!\p{L})|${HAN_TEXTS})` +
    String.raw`[^\n]{0,60}[:：]|` +
    String.raw`[^\n]{0,160}(?:(?<!\p{L})${oneOf(THIS)}\s(?:\p{L}+\s)?${oneOf(TEXTS)}(?!\p{L})|` +
    String.raw`[这此该](?:${HAN_TEXTS}))[^\n]{0,60}[?？])[ \t]*\n`,
  'imu',
);
/** A pasted text of any number of lines between triple marks. */
const BLOCK = /("""|'''|«««)[\s\S]{1,4000}?(?:\1|»»»|$)/gu;

/**
 * Removes pasted blocks between triple marks, and somebody else's texts up to what the sender adds
 * below each.
 */
export function withoutForwarded(content: string): string {
  const parts: string[] = [];
  let rest = content;
  while (rest !== '' && parts.length < TEXTS_MAX) {
    const { own, added } = beforeForwarded(rest);
    parts.push(own);
    rest = added;
  }
  return parts.join('\n');
}

/** Returns what the sender says before the first forwarded text, and what is added below it. */
function beforeForwarded(content: string): { readonly own: string; readonly added: string } {
  const hasLines = content.includes('\n');
  const mail = hasLines
    ? content.matchAll(HEADER_LINES).find(([lines]) => OF_MAIL.test(lines))
    : undefined;
  const letter = hasLines ? LETTER.exec(content) : null;
  const about = LEADING_LINE.test(content) ? ABOUT_TEXT.exec(content) : null;
  const begins = [mail, FORWARDED.exec(content), letter];
  const ends = [
    ...begins.flatMap((match) => match?.index ?? []),
    ...(about === null ? [] : [about.index + about[0].trimEnd().length]),
  ];
  const end = Math.min(content.length, ...ends);
  const own = content.slice(0, end).replace(BLOCK, '\n');
  return { own, added: addedBelow(content.slice(end)) };
}
