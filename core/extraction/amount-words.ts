/** Days, times and numbers as words of English, German and Spanish, for patterns of values. */
import { oneOf } from '../text/pattern.ts';

export const MONTHS = String.raw`
  jan(?:uary)?, feb(?:ruary)?, mar(?:ch)?, apr(?:il)?, may, june?, july?, aug(?:ust)?,
  sep(?:t(?:ember)?)?, oct(?:ober)?, nov(?:ember)?, dec(?:ember)?, januar, februar, märz, mai, juni,
  juli, oktober, dezember, enero, febrero, marzo, abril, mayo, junio, julio, agosto, septiembre,
  octubre, noviembre, diciembre
`;
export const WEEKDAYS = oneOf(String.raw`
  (?:mon|tues|wednes|thurs|fri|satur|sun)days?, (?:mon|diens|donners|frei|sams|sonn)tags?,
  mittwochs?, sonnabends?, lunes, martes, miércoles, jueves, viernes, sábados?, domingos?
`);
export const NUMBERS = String.raw`
  one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, fifteen, twenty,
  thirty, forty, fifty, sixty, seventy, eighty, ninety, zwei, drei, vier, fünf, sechs, sieben,
  acht, neun, zehn,
  elf, zwölf, fünfzehn, zwanzig, dreißig, vierzig, fünfzig, dos, tres, cuatro, cinco, seis,
  siete, ocho, nueve, diez, once, doce, quince, veinte, treinta, cuarenta, cincuenta
`;
export const CLOCK = 'noon, midday, midnight, mittags?, mitternacht, mediodía, medianoche';
