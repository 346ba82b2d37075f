/** German names of things, people and events, each with its one English name. */
import { byWord } from '../../text/word-lists.ts';
import { capitalized } from '../../text/words.ts';

/** People who serve or lead the speaker, one of each: `Lena ist meine Chefin`. */
export const SERVING = byWord({
  manager: 'chef, chefin, vorgesetzter, vorgesetzte',
  accountant: 'steuerberater, steuerberaterin',
  lawyer: 'anwalt, anwältin',
  dentist: 'zahnarzt, zahnärztin',
  doctor: 'hausarzt, hausärztin',
  landlord: 'vermieter, vermieterin',
});
/** What people have one of: family, work, and things with a name. */
export const OWN = new Map([
  ...SERVING,
  ...byWord({
    spouse: 'frau, mann, partner, partnerin',
    birthday: 'geburtstag',
    phone: 'telefonnummer',
    email: 'e-mail-adresse',
    address: 'adresse',
    timezone: 'zeitzone',
    employer: 'arbeitgeber',
    rate: 'tagessatz, stundensatz',
    budget: 'budget',
    car: 'auto',
    language: 'muttersprache',
  }),
]);
export const PETS = byWord({
  dog: 'hund, hündin, welpe',
  cat: 'katze, kater, kätzchen',
  horse: 'pferd, pony',
  rabbit: 'hase, kaninchen',
  hamster: 'hamster',
  'guinea pig': 'meerschweinchen',
  parrot: 'papagei, wellensittich',
});
/** People of whom the speaker may have several: a `Freundin` is any woman friend. */
export const KIN = byWord({
  daughter: 'tochter',
  son: 'sohn',
  sister: 'schwester',
  brother: 'bruder',
  friend: 'freundin, freund',
  niece: 'nichte',
  nephew: 'neffe',
  grandson: 'enkel',
  granddaughter: 'enkelin',
});
/** People and things with a name, of which the speaker has one at a time. */
export const NAMED = new Map([
  ...OWN,
  ...byWord({
    mother: 'mutter, mama',
    father: 'vater, papa',
    fiancé: 'verlobte, verlobter',
  }),
]);
export const EVENTS = byWord({
  launch: 'start, launch, go-live',
  release: 'release',
  deadline: 'abgabe, abgabetermin, frist',
  demo: 'demo',
  meeting: 'besprechung, treffen',
  appointment: 'termin',
  'dentist appointment': 'zahnarzttermin',
  'doctor appointment': 'arzttermin',
  surgery: 'operation',
  exam: 'prüfung',
  handover: 'übergabe',
  flight: 'flug',
  trip: 'reise',
  wedding: 'hochzeit',
  party: 'feier',
  workshop: 'workshop',
});

/** Returns the names with a capital, as German nouns have. */
export function capital(names: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...names].map(([name, thing]) => [capitalized(name), thing]));
}
