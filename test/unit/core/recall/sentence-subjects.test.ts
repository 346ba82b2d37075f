import { expect, test } from 'vitest';
import { mayHaveOneSubject } from '#core/recall/outdated/sentence-subjects.ts';

test.each([
  ['The launch is on May 4.', 'The launch was moved to June 9.'],
  ['The dinner with Tom is on Friday.', 'The dinner was moved to Saturday.'],
  ['The launch is on May 4.', 'I moved the launch to June 9.'],
  ['I live in Lyon.', 'We moved to Berlin.'],
  ['The class is at six.', 'The class moved to seven now, the hall is also colder.'],
  ['It fires at 90 seconds of lag.', 'So the rule now waits for four minutes of lag.'],
])('a newer text may have the same subject as the older: %s ← %s', (older, newer) => {
  expect(mayHaveOneSubject(older, newer)).toBe(true);
});

test.each([
  ['The launch of checkout is on May 4.', 'The launch of billing was moved to June 9.'],
  ['The dinner with Tom is on Friday.', 'The lunch with Tom was moved to Monday.'],
  ['Team A meets in room 4.', 'Team B now meets in room 7 instead.'],
  ['My daughter lives in Lyon.', 'I moved from Lyon to Berlin.'],
  ['I live in Lyon.', 'My daughter moved from Lyon to Berlin.'],
  ['I use Vim for Python.', 'My colleague switched from Vim to Zed.'],
  ['We use Slack.', 'The design team switched from Slack to Teams.'],
  ['I speak French.', 'I now speak Spanish too.'],
  ['The budget is 50,000.', 'The travel budget was cut to 4,000.'],
  ['My birthday is on June 4.', 'I moved my birthday party to June 12.'],
  ['Ann lives in Porto.', "Ann's mother moved to Braga."],
  ['Mein Termin beim Zahnarzt ist am 4. Mai.', 'Mein Termin beim Chirurgen wurde verschoben.'],
  ['Mi cita con el dentista es el 4 de mayo.', 'Mi cita con el cirujano se pasó al 9 de junio.'],
  ['我的牙医预约在5月4日。', '我的外科预约改到6月9日了。'],
])('a newer text has another subject or is an addition: %s ← %s', (older, newer) => {
  expect(mayHaveOneSubject(older, newer)).toBe(false);
});
