/** Scenes of the second set: other matters and other wording. They were written to measure with. */
import type { Template } from './templates.ts';

export const HELD_OUT_TEMPLATES: readonly Template[] = [
  {
    values: 'a b person; n int 2 14; u unit duration',
    sources: [
      '@a The doctor told me to rest for {n} {u}. I {x?am not|am} allowed to drive, {b} ' +
        'picks up the kids meanwhile.',
    ],
    facts: [
      '{a} has to rest for {n} {u} on medical advice.',
      '{a} {x?is not|is} permitted to drive.',
      'Meanwhile the kids are picked up by {b}.',
    ],
  },
  {
    values: 'a b person; n int 40 400; d day',
    sources: [
      'Minutes. {a} presented the survey: {n} people answered before {d}. {b} {x?did not ' +
        'accept|accepted} the conclusions.',
    ],
    facts: [
      'The survey presented by {a} drew {n} answers before {d}.',
      'The conclusions {x?were not accepted|were accepted} by {b}.',
      '{a} showed survey results; {n} people had responded.',
    ],
  },
  {
    values: 'n int 3 30; u unit length; k path',
    sources: [
      '@user The cable run is {n} {u}. The plan is in {k}, and we {x?have not measured|have ' +
        'measured} the second floor.',
      '@assistant I will order the cable tomorrow.',
    ],
    facts: [
      '[0]The plan in {k} has a cable run of {n} {u}.',
      '[0]The second floor {x?has not been measured|has been measured}.',
      '[1]{S:assistant} will order the cable the next day.',
      '[0]{S:user} stated that the cable run is {n} {u} long.',
    ],
  },
  {
    values: 'a b person; n int 1000 9000',
    sources: [
      '{a} bought the old tractor from {b} for {n} dollars. The engine {x?does not ' +
        'start|starts} in winter.',
    ],
    facts: [
      '{b} sold the old tractor to {a} for ${n}.',
      '{a} paid {b} {n} dollars for the old tractor.',
      'In winter the engine of the tractor {x?will not start|starts}.',
    ],
  },
  {
    values: 'a b c person; t time',
    sources: [
      '@a {b} drives the bus to the museum, {c} carries the tickets. We {x?do not stop|stop} ' +
        'for lunch. Departure is {t}.',
    ],
    facts: [
      'The bus to the museum is driven by {b}.',
      '{c} carries the tickets.',
      'The group leaves at {t} and {x?does not stop|stops} for lunch.',
      'a>Departure is at {t}.',
    ],
  },
  {
    values: 'a b person; n int 12 88; u unit mass; d day',
    sources: [
      'Lab diary of {d}: {a} weighed the sample at {n} {u}. {b} {x?could not|could} confirm ' +
        'the colour.',
    ],
    facts: [
      'On {d} the sample weighed {n} {u} according to {a}.',
      '{b} {x?was not able to|was able to} confirm the colour of the sample.',
    ],
  },
  {
    values: 'n int 2 9; d day; a person',
    sources: [
      '@user Cancel my gym contract, please. It has {n} months left and I {x?have not|have} ' +
        'paid until {d}.',
      '@assistant I sent the letter to {a} today.',
    ],
    facts: [
      '[0]{S:user} requested that the gym contract be cancelled; {n} months remain.',
      '[0]The user {x?has not paid|has paid} until {d}.',
      '[1]The letter was sent to {a} by the assistant.',
    ],
  },
  {
    values: 'a b person; n int 11 70; m int 100 500; u unit data',
    sources: [
      'The cluster holds {m} nodes. During the test, {n} {u} were copied by {a}. {b} ' +
        '{x?never|later} deleted the copies.',
    ],
    facts: [
      '{a} copied {n} {u} in the test.',
      'The cluster is made of {m} nodes.',
      '{b} {x?never deleted|deleted} the copies.',
    ],
  },
  {
    values: 'a b person; n int 15 60',
    sources: [
      '@a I will translate the manual into French. {b} {x?does not speak|speaks} French. It ' +
        'has {n} pages.',
      '@b Fine, I draw the pictures.',
    ],
    facts: [
      '[0]The manual, {n} pages long, will be translated into French by {a}.',
      '[0]{b} {x?does not speak|speaks} French.',
      '[1]{b} will draw the pictures.',
      '[0,1]{a} translates the manual while {b} draws the pictures.',
    ],
  },
  {
    values: 'a b person; d near; k ticket',
    sources: ['{a} pushed the fix for {k} {d:rel}. {b} {x?did not test|tested} it on the phone.'],
    facts: [
      'The fix for {k} was pushed by {a} on {d}.',
      '{b} {x?has not tested|has tested} the fix on the phone.',
    ],
  },
  {
    values: 'a b person; d day; n int 100 900; u unit currency',
    sources: [
      '{a} invited {b} to the wedding on {d}. The flight costs {n} {u} and {x?is not|is} ' +
        'refundable.',
    ],
    facts: [
      '{b} was invited by {a} to a wedding on {d}.',
      'The flight is {n} {u} and {x?cannot be|can be} refunded.',
    ],
  },
];
