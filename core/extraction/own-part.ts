/** What of a message its sender says, without a document or an e-mail that they hand on. */
import { oneOf } from '../text/pattern.ts';

/** A longer message, of some 700 words, is a document. */
export const OWN_LETTERS_MAX = 4_000;

const HEADERS = String.raw`
  from, to, cc, subject, date, sent, reply-to, von, an, betreff, datum, gesendet, de, para, asunto,
  fecha, enviado(?: el)?, 发件人, 收件人, 抄送, 主题, 日期, 发送时间
`;
const HEADER_LINES = new RegExp(
  String.raw`(?:^[ \t>*]*${oneOf(HEADERS)}[ \t*]*[:：].*(?:\n|$)){2,12}`,
  'gimu',
);
/** `From: Leeds`, `To: York` is a journey. */
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
/** `Please summarize this report:` is said of what follows. */
const LEADS_IN = /[:：]\s*$/u;

/** @param isLong whether it is longer than `OWN_LETTERS_MAX`, or part of what is */
export function ownPart(content: string, isLong: boolean): string {
  const mail = content.matchAll(HEADER_LINES).find(([lines]) => OF_MAIL.test(lines));
  const ends = [mail?.index, FORWARDED.exec(content)?.index].filter((end) => end !== undefined);
  const own = content.slice(0, Math.min(content.length, ...ends));
  if (!isLong) return own;
  const [first = ''] = own.split('\n', 1);
  return LEADS_IN.test(first) ? first : '';
}
