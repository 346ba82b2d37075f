/** Converts Chinese numerals to digits, and Chinese weekdays to names. */
import { byWord, numberByWord } from './word-lists.ts';

const DIGITS = numberByWord({
  0: '零, 〇',
  1: '一',
  2: '二, 两',
  3: '三',
  4: '四',
  5: '五',
  6: '六',
  7: '七',
  8: '八',
  9: '九',
});
const SCALES: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1_000 };
const NUMERAL = /[零〇一二两三四五六七八九十百千]{1,12}/gu;
/** `5千`: a scale that multiplies digits. */
const SCALED = /(?<![\d.])(\d{1,9}(?:\.\d{1,4})?)([十百千])(?![零〇一二两三四五六七八九十百千])/gu;
/** `2万5000`: the digits after 万 are added. */
const JOINED = /(?<![\d.])(\d{1,4})([万亿])(\d{1,4})(?![\d.]|[万亿年月日号点时])/gu;
/** Without one of these, the numerals are digits said one by one, as in a year. */
const HAS_SCALE = /[十百千]/u;

/** Converts Chinese numerals to digits; 万 and 亿 stay, since they multiply digits too. */
export function withDigits(text: string): string {
  return text
    .replaceAll(SCALED, (_, digits: string, scale: string) =>
      String(Number((Number(digits) * (SCALES[scale] ?? 1)).toPrecision(15))),
    )
    .replaceAll(NUMERAL, (numeral) => String(valueOf(numeral)))
    .replaceAll(JOINED, (_, big: string, sign: string, rest: string) => {
      const step = sign === '亿' ? 1e8 : 1e4;
      // `3万5` means 35,000.
      const behind = rest.length === 1 ? Number(rest) * (step / 10) : Number(rest);
      return String(Number(big) * step + behind);
    });
}

function valueOf(numeral: string): string | number {
  if (!HAS_SCALE.test(numeral)) {
    return Array.from(numeral, (sign) => String(DIGITS.get(sign) ?? '')).join('');
  }
  let whole = 0;
  let open = 0;
  for (const sign of numeral) {
    const scale = SCALES[sign];
    if (scale === undefined) {
      open = DIGITS.get(sign) ?? 0;
      continue;
    }
    whole += (open === 0 ? 1 : open) * scale;
    open = 0;
  }
  return whole + open;
}

const WEEKDAY = /(?:周|星期|礼拜)(?<day>[一二三四五六日天])/gu;
const WEEKDAY_NAMES = byWord({
  Monday: '一',
  Tuesday: '二',
  Wednesday: '三',
  Thursday: '四',
  Friday: '五',
  Saturday: '六',
  Sunday: '日, 天',
});

/** Replaces Chinese weekdays by names that the reader of days knows. */
export function withWeekdays(text: string): string {
  return text.replaceAll(WEEKDAY, (_, day: string) => ` ${WEEKDAY_NAMES.get(day) ?? ''} `);
}
