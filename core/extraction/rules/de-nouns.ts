/** German names of things, people and events, each with its one English name. */

/** People who serve or lead the speaker, one of each: `Lena ist meine Chefin`. */
export const SERVING = {
  chef: 'manager',
  chefin: 'manager',
  vorgesetzter: 'manager',
  vorgesetzte: 'manager',
  steuerberater: 'accountant',
  steuerberaterin: 'accountant',
  anwalt: 'lawyer',
  anwältin: 'lawyer',
  zahnarzt: 'dentist',
  zahnärztin: 'dentist',
  hausarzt: 'doctor',
  hausärztin: 'doctor',
  vermieter: 'landlord',
  vermieterin: 'landlord',
};
/** What people have one of: family, work, and things with a name. */
export const OWN = {
  ...SERVING,
  frau: 'spouse',
  mann: 'spouse',
  partner: 'spouse',
  partnerin: 'spouse',
  geburtstag: 'birthday',
  telefonnummer: 'phone',
  'e-mail-adresse': 'email',
  adresse: 'address',
  zeitzone: 'timezone',
  arbeitgeber: 'employer',
  tagessatz: 'rate',
  stundensatz: 'rate',
  budget: 'budget',
  auto: 'car',
  muttersprache: 'language',
};
export const PETS = {
  hund: 'dog',
  hündin: 'dog',
  welpe: 'dog',
  katze: 'cat',
  kater: 'cat',
  kätzchen: 'cat',
  pferd: 'horse',
  pony: 'horse',
  hase: 'rabbit',
  kaninchen: 'rabbit',
  hamster: 'hamster',
  meerschweinchen: 'guinea pig',
  papagei: 'parrot',
  wellensittich: 'parrot',
};
/** People of whom the speaker may have several: a `Freundin` is any woman friend. */
export const KIN = {
  tochter: 'daughter',
  sohn: 'son',
  schwester: 'sister',
  bruder: 'brother',
  freundin: 'friend',
  freund: 'friend',
  nichte: 'niece',
  neffe: 'nephew',
  enkel: 'grandson',
  enkelin: 'granddaughter',
};
/** People and things with a name, of which the speaker has one at a time. */
export const NAMED = {
  mutter: 'mother',
  mama: 'mother',
  vater: 'father',
  papa: 'father',
  verlobte: 'fiancé',
  verlobter: 'fiancé',
  ...OWN,
};
export const EVENTS = {
  start: 'launch',
  launch: 'launch',
  'go-live': 'launch',
  release: 'release',
  abgabe: 'deadline',
  abgabetermin: 'deadline',
  frist: 'deadline',
  demo: 'demo',
  besprechung: 'meeting',
  treffen: 'meeting',
  termin: 'appointment',
  zahnarzttermin: 'dentist appointment',
  arzttermin: 'doctor appointment',
  operation: 'surgery',
  prüfung: 'exam',
  übergabe: 'handover',
  flug: 'flight',
  reise: 'trip',
  hochzeit: 'wedding',
  feier: 'party',
  workshop: 'workshop',
};

/** Returns the names with a capital, as German nouns have. */
export function capital(names: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(names).map(([name, thing]) => [
      name.charAt(0).toUpperCase() + name.slice(1),
      thing,
    ]),
  );
}
