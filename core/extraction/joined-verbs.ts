/** Verbs that share the subject of a clause before: `is allergic to nuts and lives in Lyon`. */
import type { Language } from '../text/language.ts';

const DE: Readonly<Record<string, string>> = {
  arbeitet: 'arbeite',
  besitzt: 'besitze',
  fährt: 'fahre',
  hasst: 'hasse',
  hat: 'habe',
  isst: 'esse',
  ist: 'bin',
  lebt: 'lebe',
  liebt: 'liebe',
  trinkt: 'trinke',
  wohnt: 'wohne',
};
const ES: Readonly<Record<string, string>> = {
  conduce: 'conduzco',
  es: 'soy',
  odia: 'odio',
  prefiere: 'prefiero',
  tiene: 'tengo',
  trabaja: 'trabajo',
  usa: 'uso',
  vive: 'vivo',
};

const JOINED: Readonly<Record<Language, RegExp | null>> = {
  en: /(?<=\s(?:and|but)\s(?:now\s)?)(?:live|work|prefer|like|love|hate|own|enjoy|dislike)s\b/gu,
  de: new RegExp(`(?<=\\s(?:und|aber)\\s)(?:${Object.keys(DE).join('|')})(?!\\p{L})`, 'gu'),
  es: new RegExp(`(?<=\\s(?:y|pero)\\s)(?:${Object.keys(ES).join('|')})(?!\\p{L})`, 'gu'),
  // Chinese verbs have one form.
  zh: null,
};

/** Puts the further verbs of a sentence that was put into the first person in that person too. */
export function withJoinedVerbs(text: string, language: Language): string {
  const joined = JOINED[language];
  if (joined === null) return text;
  return text.replace(joined, (verb) => DE[verb] ?? ES[verb] ?? verb.replace(/s$/u, ''));
}
