/** Finds texts in which somebody speaks of himself. */
import { anyOf, oneOf, WORD_END, WORD_START } from './pattern.ts';

/** Matches the first person singular; `we` are the same people in all layers that they share. */
export const FIRST_PERSON = new RegExp(
  String.raw`${WORD_START}${oneOf(`
    I, I['’](?:m|ve|d|ll), [Mm]y, [Mm]ine, [Mm]e, [Ii]ch, [Mm]ein\\p{L}*, [Mm]ir, [Mm]ich, [Yy]o,
    [Mm]is?, [Vv]ivo, [Ss]oy, [Tt]engo, [Pp]refiero, [Ee]stoy
  `)}${WORD_END}|我(?!们)`,
  'u',
);
/** Spanish verbs that begin a sentence without `yo`; elsewhere some are nouns, such as `uso`. */
const OPENING_VERB = new RegExp(
  String.raw`^(?:(?:ya |ahora |también )?(?:no )?)${oneOf(`
    trabajo, uso, como, bebo, tomo, odio, quiero, necesito, hablo, conduzco, manejo, juego, toco,
    corro, nado, estudio, llevo, puedo, suelo, voy, nací, compré, vendí, dejé, empecé, cambié
  `)}(?!\p{L})`,
  'iu',
);

/** The first person, singular and plural, in any case. */
const SENDER = anyOf(
  WORD_START +
    oneOf(String.raw`
      i, my, me, mine, we, our, us, ich, mein(?:e[mnrs]?)?, mich, mir, wir, uns,
      unser(?:e[mnrs]?)?, yo, mi, mis, mí, soy, estoy, vivo, tengo, trabajo, quiero,
      voy, nos, nuestr[oa]s?, somos, vivimos
    `) +
    WORD_END,
  '我|咱|俺',
);

/** Whether a text names its sender, alone or with others. */
export function namesSender(text: string): boolean {
  return SENDER.test(text);
}

/** Whether a sentence is about whoever says it. */
export function speaksOfSelf(sentence: string): boolean {
  return FIRST_PERSON.test(sentence) || OPENING_VERB.test(sentence);
}
