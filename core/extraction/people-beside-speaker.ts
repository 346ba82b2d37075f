/**
 * Tells whether a newer text is about somebody whom an older one only names beside its speaker: `I
 * live in Leeds with my brother Kofi` says where its speaker lives, whatever becomes of Kofi.
 */
import { anyOf, anyWord, oneOf } from '../text/pattern.ts';
import { isAnyKin, isKin } from '../text/people-words.ts';

const OPENING = /^(?:(?:so|and|but|well|oh|also|und|aber|y|pero),?\s)*/iu;
const OWN = String.raw`(?:my|our|mein\p{L}*|unser\p{L}*|mis?|nuestr[oa]s?)\s`;
const OWN_FIRST = new RegExp(`^${OWN}`, 'iu');
/** The speaker as a subject, alone or with others. */
const SPEAKER = anyOf(
  anyWord(`
    I, I['’](?:m|ve|d|ll), we, we['’](?:re|ve), ich, wir, yo, nosotr[oa]s, nos, me, us, mich,
    mir, uns
  `),
);
const SPEAKER_FIRST = new RegExp(
  String.raw`^${oneOf(`
    I, I['’](?:m|ve), we, we['’](?:re|ve), ich, wir, yo, vivo, vivimos, trabajo, trabajamos, soy,
    somos, estoy, estamos, comparto, compartimos
  `)}\s|^我`,
  'iu',
);
/** Says where somebody lives or works. */
const HOME_OR_JOB = new RegExp(
  String.raw`(?<!\p{L})(?:liv(?:e|es|ing)|work(?:s|ing)?|shar(?:e|ing)|wohn|leb|arbeit|teil|viv|` +
    String.raw`trabaj|compart)|住|上班|工作`,
  'iu',
);
/** Somebody who lives, works or is like the speaker: the words after `with` or `, my`. */
const BESIDE = new RegExp(
  String.raw`(?:(?<!\p{L})${oneOf(`
    with, like, and, near, alongside, than, to, mit, wie, und, neben, bei, als, con, como, y,
    igual que, cerca de, junto a
  `)}\s(?:${OWN})?|,\s${OWN})(?=(?<who>\p{L}+(?:\s\p{L}+)?))|` +
    String.raw`(?<named>\p{L}+),?\s(?:who|whose|deren|dessen|quien|que)(?!\p{L})|` +
    String.raw`[和跟与像](?<han>\p{Script=Han}{2,7})`,
  'giu',
);

/** Whether the newer text is about somebody whom the older, about its speaker, names beside. */
export function tellsOfCompanion(older: string, newer: string): boolean {
  const before = older.replace(OPENING, '');
  if (!SPEAKER_FIRST.test(before) || !HOME_OR_JOB.test(before)) return false;
  const who = subjectOf(newer.replace(OPENING, ''));
  if (who === null) return false;
  return [...before.matchAll(BESIDE)].some(({ groups }) => {
    const { who: beside = '', named = '', han = '' } = groups ?? {};
    return han.includes(who) || `${beside} ${named}`.toLowerCase().split(' ').includes(who);
  });
}

/** Returns the last word that names a person at the beginning, in lower case; null if none does. */
function subjectOf(text: string): string | null {
  if (/^\p{Script=Han}/u.test(text)) return hanSubjectOf(text);
  if (SPEAKER.test(text)) return null;
  const words = text.replace(OWN_FIRST, '').match(/\p{L}[\p{L}\p{M}-]*/gu) ?? [];
  const isPerson = (word: string): boolean => isAnyKin(word.toLowerCase()) || /^\p{Lu}/u.test(word);
  const end = words.findIndex((word) => !isPerson(word));
  return (
    words
      .slice(0, end === -1 ? words.length : end)
      .at(-1)
      ?.toLowerCase() ?? null
  );
}

/** Chinese names have two characters or more: `小红`, `我爸爸`. */
function hanSubjectOf(text: string): string | null {
  const said = text.replace(/^我们?的?/u, '');
  const isAnother = said === text || isKin(said, 'zh');
  return isAnother && !/[我咱]/u.test(said) ? said.slice(0, 2) : null;
}
