/** Days, times and numbers as words of English, German and Spanish, for patterns of values. */
import { ANY_MONTH, SHORT_MONTH } from './calendar-words.ts';

export const MONTH = `(?:${ANY_MONTH}|${SHORT_MONTH})`;
export const NUMBERS = String.raw`
  one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, fifteen, twenty,
  thirty, forty, fifty, sixty, seventy, eighty, ninety, zwei, drei, vier, fünf, sechs, sieben,
  acht, neun, zehn,
  elf, zwölf, fünfzehn, zwanzig, dreißig, vierzig, fünfzig, dos, tres, cuatro, cinco, seis,
  siete, ocho, nueve, diez, once, doce, quince, veinte, treinta, cuarenta, cincuenta
`;
export const CLOCK = 'noon, midday, midnight, mittags?, mitternacht, mediodía, medianoche';
