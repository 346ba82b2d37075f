/** Spanish names of things, people and events, each with its one English name. */
import { byWord } from '../../text/word-lists.ts';

/** People who serve or lead the speaker, one of each: `Lucía es mi jefa`. */
export const SERVING = byWord({
  manager: 'jefe, jefa',
  accountant: 'contador, contadora',
  lawyer: 'abogado, abogada',
  dentist: 'dentista',
  doctor: 'médico, médica',
  landlord: 'casero, casera',
});
export const OWN = new Map([
  ...SERVING,
  ...byWord({
    spouse: 'mujer, esposa, marido, esposo, pareja',
    associate: 'socio, socia',
    birthday: 'cumpleaños',
    phone: 'teléfono',
    email: 'correo',
    address: 'dirección',
    budget: 'presupuesto',
    rate: 'tarifa',
    car: 'coche, auto',
  }),
]);
export const PETS = byWord({
  dog: 'perro, perra, perrito, perrita, cachorro',
  cat: 'gato, gata, gatito, gatita',
  horse: 'caballo',
  rabbit: 'conejo',
  hamster: 'hámster',
  parrot: 'loro',
});
export const KIN = byWord({
  daughter: 'hija',
  son: 'hijo',
  sister: 'hermana',
  brother: 'hermano',
  niece: 'sobrina',
  nephew: 'sobrino',
  granddaughter: 'nieta',
  grandson: 'nieto',
});
/** People and things with a name, of which the speaker has one at a time. */
export const NAMED = new Map([
  ...OWN,
  ...byWord({
    girlfriend: 'novia',
    boyfriend: 'novio',
    fiancé: 'prometida, prometido',
    mother: 'madre, mamá',
    father: 'padre, papá',
  }),
]);
export const EVENTS = byWord({
  launch: 'lanzamiento',
  deadline: 'entrega, plazo',
  demo: 'demo',
  meeting: 'reunión',
  appointment: 'cita',
  'dentist appointment': 'cita con el dentista, cita con la dentista',
  'doctor appointment': 'cita con el médico',
  surgery: 'operación',
  exam: 'examen',
  interview: 'entrevista',
  flight: 'vuelo',
  trip: 'viaje',
  wedding: 'boda',
  party: 'fiesta',
  workshop: 'taller',
});
