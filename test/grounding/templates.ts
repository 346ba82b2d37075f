/**
 * Scenes of the example sets. A source that begins with `@` is a turn of that speaker. A fact may
 * begin with `[0,1]` (what it cites; all without) and with `a>` (its stated speaker).
 *
 * Places: `a b c` people, `n m` numbers, `d e` days, `t` a time, `u` a unit, `k` an identifier,
 * `{x?one|other}` is the one where x is denied.
 */
export interface Template {
  readonly values: string;
  readonly sources: readonly string[];
  readonly facts: readonly string[];
}

export const TEMPLATES: readonly Template[] = [
  {
    values: 'a b person; n int 20 900; d day',
    sources: [
      '@a I {x?did not order|ordered} {n} chairs for the new office on {d}. {b} is still ' +
        'looking at desks.',
    ],
    facts: [
      'On {d}, {a} {x?did not place an order for|placed an order for} {n} office chairs.',
      '{a} {x?has not ordered|has ordered} {n} chairs for the office; the date was {d}.',
      'a>{n} chairs {x?were not ordered|were ordered} for the new office by {a} on {d}.',
    ],
  },
  {
    values: 'a b person; n int 1000 90000',
    sources: ['{a} pays {b} {n} euros a month for the warehouse. The lease was signed in spring.'],
    facts: [
      '{b} is paid {n} euros per month by {a} for the warehouse.',
      'For the warehouse, {a} pays {b} €{n} every month.',
    ],
  },
  {
    values: 'a b person; n int 11 59; u unit duration; t time',
    sources: [
      'Incident log. At {t} the checkout service stopped answering. {a} restarted it after ' +
        '{n} {u}. {b} wrote the customer notice.',
    ],
    facts: [
      '{a} brought the checkout service back by restarting it {n} {u} later.',
      'The checkout service was restarted by {a} after {n} {u}.',
      'The notice to customers was written by {b}.',
      'The outage of the checkout service began at {t}.',
    ],
  },
  {
    values: 'a b person; n int 2 40; u unit data',
    sources: [
      '@a The nightly backup is {n} {u} now. It {x?is not|is} encrypted before upload.',
      '@b Thanks, I will check the restore next.',
    ],
    facts: [
      '[0]{a} said that the nightly backup takes up {n} {u}.',
      '[0]The backup {x?is not encrypted|is encrypted} before it is uploaded.',
      '[1]{b} will look at the restore next.',
      '[0,1]The nightly backup has grown to {n} {u}, and {b} will check the restore.',
    ],
  },
  {
    values: 'n int 3 60; u unit length; d day',
    sources: [
      '@user I {x?do not want|want} to run the {n} {u} race on {d}. My knee is fine again.',
    ],
    facts: [
      'The user {x?does not want|wants} to take part in the {n} {u} race on {d}.',
      '{S:user} said that their knee is fine again.',
    ],
  },
  {
    values: 'n int 100 4000; d day',
    sources: [
      '@user Please book a hotel in Lisbon from {d}, at most {n} dollars in total. I {x?do ' +
        'not eat|eat} seafood.',
      '@assistant Done: I booked a room in Lisbon from {d} and will send the confirmation.',
    ],
    facts: [
      '[0]{S:user} asked for a hotel in Lisbon from {d} for no more than ${n}.',
      '[1]{S:assistant} booked a room in Lisbon starting {d}.',
      '[0]The user {x?does not eat|eats} seafood.',
      '[0,1]A Lisbon hotel was requested for at most {n} dollars and a room was booked from {d}.',
    ],
  },
  {
    values: 'a b c person; d day',
    sources: [
      'Project notes: {a} owns the billing service. {b} owns the search service. {c} reviews ' +
        'both designs until {d}.',
    ],
    facts: [
      'The billing service is owned by {a}.',
      '{b} is the owner of the search service.',
      '{c} has until {d} to review both designs.',
      '{a} owns billing and {b} owns search.',
    ],
  },
  {
    values: 'a b person; n int 12 95',
    sources: [
      '@a Revenue {y?fell|rose} by {n} percent last quarter. {b} {x?has not ' +
        'presented|presented} the figures to the board.',
    ],
    facts: [
      'a>Last quarter, revenue {y?fell|rose} {n} %.',
      'The figures {x?have not been presented|were presented} to the board by {b}.',
      'According to {a}, revenue {y?fell|rose} by {n}% in the last quarter.',
    ],
  },
  {
    values: 'a b person; k ticket; n int 2 30; u unit duration',
    sources: [
      '{k} is blocked: {a} {x?cannot|can} reproduce the crash. The job runs {n} {u} on the ' +
        'large data set, says {b}.',
    ],
    facts: [
      '{a} {x?is not able to|is able to} reproduce the crash in {k}.',
      'On the large data set the job of {k} takes {n} {u}.',
      '{b} says the job runs {n} {u} on the large data set.',
    ],
  },
  {
    values: 'a b person; d day; e day',
    sources: [
      '@a The contract with the printer ends on {d}. We {x?will not renew|will renew} it.',
      '@b Then I need the new offer by {e}.',
    ],
    facts: [
      '[0]The contract with the printer runs out on {d} and {x?will not be renewed|will be ' +
        'renewed}.',
      '[1]{b} needs a new offer by {e}.',
      '[0,1]The printer contract ends on {d}; a new offer has to be there by {e}.',
    ],
  },
  {
    values: 'a b person; n int 3 20',
    sources: ['{a} lent {b} {n} books about gardening. {b} {x?never|already} returned them.'],
    facts: [
      '{b} was lent {n} gardening books by {a}.',
      '{n} books about gardening were lent to {b} by {a}.',
      'The books {x?were never returned|were returned} by {b}.',
    ],
  },
  {
    values: 'a b person; t time; d day',
    sources: ['@a Let us meet at {t} on {d}. {b} {x?cannot|can} join by phone.'],
    facts: [
      '{a} proposed a meeting on {d} at {t}.',
      '{b} {x?is unable to|is able to} join the meeting by phone.',
      'a>The meeting is at {t}, on {d}.',
    ],
  },
  {
    values: 'a b person; n int 5 80; u unit mass',
    sources: [
      'Delivery: {n} {u} of coffee beans arrived at the depot. {a} {x?did not sign|signed} ' +
        'for them, {b} stored them.',
    ],
    facts: [
      '{n} {u} of coffee beans were delivered to the depot.',
      '{a} {x?did not sign|signed} for the coffee beans.',
      'The beans were stored by {b}.',
    ],
  },
  {
    values: 'n int 2 9; d day',
    sources: [
      'Der Server wurde am {d} {x?nicht neu gestartet|neu gestartet}. Es gab {n#} Fehler im ' +
        'Protokoll.',
    ],
    facts: [
      'Am {d} wurde der Server {x?nicht neu gestartet|neu gestartet}.',
      'Im Protokoll standen {n#} Fehler.',
    ],
  },
  {
    values: 'n int 11 99; a person',
    sources: [
      '会議は{n#}号室で行われます。予算は{n#}万円です。',
      '{a} booked room {n} for the budget meeting.',
    ],
    facts: ['[0]予算は{n#}万円。', '[1]Room {n} was booked by {a} for the budget meeting.'],
  },
  {
    values: 'a b person; n int 110 990; u unit currency',
    sources: [
      '@a I spent {n} {u} on train tickets. {b} {x?has not approved|approved} the expense ' +
        'report yet.',
    ],
    facts: [
      '{a} paid {n} {u} for train tickets.',
      'The expense report {x?has not been approved|was approved} by {b}.',
      'a>Train tickets cost {n} {u}.',
    ],
  },
  {
    values: 'a b person; n int 3 12; m int 20 90',
    sources: [
      'Retrospective: the team of {a} closed {n} tickets, the team of {b} closed {m} ' +
        'tickets. The deployment {x?was not|was} rolled back.',
    ],
    facts: [
      "{a}'s team closed {n} tickets.",
      'The deployment {x?did not have to be|had to be} rolled back.',
      '{n} tickets were closed by the team of {a} and {m} tickets by the team of {b}.',
    ],
  },
  {
    values: 'a b person; d day',
    sources: ['@a My passport expires on {d}, so I {x?will not fly|will fly} to Oslo with {b}.'],
    facts: [
      "{a}'s passport is valid until {d}.",
      '~{a} {x?will not fly|will fly} to Oslo together with {b}.',
    ],
  },
  {
    values: 'n int 200 900; k version',
    sources: [
      'Release {k} {x?does not fix|fixes} the memory leak. Start-up takes {n} ms on the ' +
        'small machine.',
    ],
    facts: [
      'The memory leak {x?is not fixed|is fixed} in release {k}.',
      'With {k}, starting takes {n} milliseconds on the small machine.',
    ],
  },
  {
    values: 'a b person; n int 15 48',
    sources: [
      '@user My daughter {a} is {n} and {x?does not like|likes} mushrooms. Her brother {b} ' +
        'studies law.',
    ],
    facts: [
      "The user's daughter {a} is {n} years old.",
      '{a} {x?dislikes|likes} mushrooms.',
      '{b}, her brother, studies law.',
    ],
  },
  {
    values: 'a b person; d day; n int 30 400',
    sources: [
      '@a Registration opens on {d}. We expect {n} guests.',
      '@b The hall {x?does not have|has} enough seats, I asked the owner.',
    ],
    facts: [
      '[0]{n} guests are expected, and registration will open on {d}.',
      '[1]b>The hall {x?does not have|has} enough seats.',
      '[1]{b} asked the owner and the hall {x?lacks|has} enough seats.',
    ],
  },
  {
    values: 'a b person; n int 2 20; u unit duration',
    sources: ['{a} taught {b} how to sail for {n} {u}. They {x?did not leave|left} the harbour.'],
    facts: [
      'For {n} {u}, {a} taught {b} sailing.',
      '{b} was taught to sail by {a}.',
      'The harbour {x?was not left|was left}, although the lessons lasted {n} {u}.',
    ],
  },
  {
    values: 'n int 4 60; u unit data; k mail',
    sources: [
      '@user My mailbox {k} has a quota of {n} {u}. I {x?do not use|use} the calendar.',
      '@assistant I raised the request with the hosting team.',
    ],
    facts: [
      '[0]The quota of {k} is {n} {u}.',
      '[0]{S:user} {x?does not use|uses} the calendar.',
      '[1]{S:assistant} raised a request with the hosting team.',
    ],
  },
  {
    values: 'a b person; d near; n int 12 70',
    sources: [
      '@a The audit {x?does not start|starts} {d:rel}. {b} printed {n} forms.',
      '@b And the caterer comes {d:rel}.',
    ],
    facts: [
      '[0]The audit {x?will not begin|begins} on {d}.',
      '[0]{n} forms were printed by {b}.',
      '[0]According to {a}, the audit {x?does not start|starts} on {d}.',
      '[1]b>The caterer is coming on {d}.',
    ],
  },
  {
    values: 'a b c person; n int 20 80',
    sources: [
      '@a I vote for the blue design. It costs {n} million to build.',
      '@b I prefer the green design. It {x?does not need|needs} a second entrance.',
      '@c Let us decide next week.',
    ],
    facts: [
      '[0]{a} voted for the blue design, which would cost {n} million.',
      '[1]{b} prefers the green design.',
      '[1]The green design {x?does not need|needs} a second entrance.',
      '[0,1]{a} is for the blue design and {b} prefers the green one.',
      '[2]{c} wants to decide next week.',
    ],
  },
];
