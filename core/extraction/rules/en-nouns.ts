/** English names of things, people and events, each with its one standard name. */

/** People who serve or lead the speaker, one of each: `Priya is my manager`. */
export const SERVING = {
  manager: 'manager',
  boss: 'manager',
  'team lead': 'manager',
  accountant: 'accountant',
  lawyer: 'lawyer',
  dentist: 'dentist',
  doctor: 'doctor',
  therapist: 'therapist',
  landlord: 'landlord',
  landlady: 'landlord',
};
/** What people have one of: family, work, and things with a name. */
export const OWN = {
  ...SERVING,
  wife: 'spouse',
  husband: 'spouse',
  partner: 'spouse',
  birthday: 'birthday',
  'phone number': 'phone',
  'e-mail address': 'email',
  'email address': 'email',
  email: 'email',
  address: 'address',
  'time zone': 'timezone',
  timezone: 'timezone',
  employer: 'employer',
  'day rate': 'rate',
  'hourly rate': 'rate',
  budget: 'budget',
  car: 'car',
  laptop: 'laptop',
  'native language': 'language',
  'mother tongue': 'language',
};
export const PETS = {
  dog: 'dog',
  puppy: 'dog',
  cat: 'cat',
  kitten: 'cat',
  horse: 'horse',
  pony: 'horse',
  rabbit: 'rabbit',
  hamster: 'hamster',
  'guinea pig': 'guinea pig',
  parrot: 'parrot',
};
export const KIN = {
  daughter: 'daughter',
  son: 'son',
  sister: 'sister',
  brother: 'brother',
  niece: 'niece',
  nephew: 'nephew',
  grandson: 'grandson',
  granddaughter: 'granddaughter',
};
/** People and things with a name, of which the speaker has one at a time. */
export const NAMED = {
  girlfriend: 'girlfriend',
  boyfriend: 'boyfriend',
  fiancé: 'fiancé',
  fiancée: 'fiancé',
  mother: 'mother',
  mum: 'mother',
  mom: 'mother',
  father: 'father',
  dad: 'father',
  ...OWN,
};
export const EVENTS = {
  launch: 'launch',
  'go-live': 'launch',
  release: 'release',
  deadline: 'deadline',
  demo: 'demo',
  meeting: 'meeting',
  review: 'review',
  standup: 'standup',
  handover: 'handover',
  handoff: 'handover',
  workshop: 'workshop',
  appointment: 'appointment',
  'dentist appointment': 'dentist appointment',
  "doctor's appointment": 'doctor appointment',
  surgery: 'surgery',
  operation: 'surgery',
  exam: 'exam',
  interview: 'interview',
  flight: 'flight',
  train: 'train',
  trip: 'trip',
  wedding: 'wedding',
  party: 'party',
  conference: 'conference',
  race: 'race',
  marathon: 'race',
};

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
