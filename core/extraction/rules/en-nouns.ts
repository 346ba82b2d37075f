/** English names of things, people and events, each with its one standard name. */
import { byWord } from '../../text/word-lists.ts';

/** People who serve or lead the speaker, one of each: `Priya is my manager`. */
export const SERVING = byWord({
  manager: 'manager, boss, team lead',
  accountant: 'accountant',
  lawyer: 'lawyer',
  dentist: 'dentist',
  doctor: 'doctor',
  therapist: 'therapist',
  landlord: 'landlord, landlady',
});
/** What people have one of: family, work, and things with a name. */
export const OWN = new Map([
  ...SERVING,
  ...byWord({
    spouse: 'wife, husband, partner',
    birthday: 'birthday',
    phone: 'phone number',
    email: 'e-mail address, email address, email',
    address: 'address',
    timezone: 'time zone, timezone',
    employer: 'employer',
    rate: 'day rate, hourly rate',
    budget: 'budget',
    car: 'car',
    laptop: 'laptop',
    language: 'native language, mother tongue',
  }),
]);
export const PETS = byWord({
  dog: 'dog, puppy',
  cat: 'cat, kitten',
  horse: 'horse, pony',
  rabbit: 'rabbit',
  hamster: 'hamster',
  'guinea pig': 'guinea pig',
  parrot: 'parrot',
});
export const KIN = byWord({
  daughter: 'daughter',
  son: 'son',
  sister: 'sister',
  brother: 'brother',
  niece: 'niece',
  nephew: 'nephew',
  grandson: 'grandson',
  granddaughter: 'granddaughter',
});
/** People and things with a name, of which the speaker has one at a time. */
export const NAMED = new Map([
  ...OWN,
  ...byWord({
    girlfriend: 'girlfriend',
    boyfriend: 'boyfriend',
    fiancé: 'fiancé, fiancée',
    mother: 'mother, mum, mom',
    father: 'father, dad',
  }),
]);
export const EVENTS = byWord({
  launch: 'launch, go-live',
  release: 'release',
  deadline: 'deadline',
  demo: 'demo',
  meeting: 'meeting',
  review: 'review',
  standup: 'standup',
  handover: 'handover, handoff',
  workshop: 'workshop',
  appointment: 'appointment',
  'dentist appointment': 'dentist appointment',
  'doctor appointment': "doctor's appointment",
  surgery: 'surgery, operation',
  exam: 'exam',
  interview: 'interview',
  flight: 'flight',
  train: 'train',
  trip: 'trip',
  wedding: 'wedding',
  party: 'party',
  conference: 'conference',
  race: 'race, marathon',
});

/** Nouns of employers, as a list for a pattern. */
export const WORKPLACES = String.raw`
  bank, hospital, school, university, college, library, startup, start-up, bakery, restaurant,
  caf[eé], bar, hotel, clinic, pharmacy, firm, company, factory, warehouse, museum, shop, store,
  bookshop, bookstore, supermarket, call cent(?:er|re), non-?profit, charity, agency, nursery,
  kindergarten, garage, gym, salon, newspaper, lab, dental practice, brewery, farm, consultancy,
  practice
`;

/** Nouns of jobs, as a list for a pattern. */
export const JOBS = `
  engineer, developer, programmer, designer, nurse, doctor, teacher, professor, student, lawyer,
  architect, accountant, manager, analyst, scientist, researcher, writer, editor, journalist,
  translator, electrician, plumber, carpenter, chef, baker, farmer, pilot, driver, photographer,
  musician, consultant, therapist, surgeon, vet, pharmacist, librarian, freelancer, contractor,
  administrator, secretary, technician, mechanic, painter, potter, gardener, beekeeper
`;

/** Nouns of streets, as a list for a pattern. */
export const ROADS = `
  Street, St, Road, Rd, Lane, Avenue, Ave, Drive, Close, Court, Way, Place, Square, Terrace, Hill,
  Gardens, Crescent, Row, Park, Walk, Mews, Green, Boulevard, Grove
`;
