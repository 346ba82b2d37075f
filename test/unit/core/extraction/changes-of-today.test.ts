import { expect, test } from 'vitest';
import { endingBy } from './ending-by.ts';

test.each([
  ['I live in York.', 'I moved to Leeds today.'],
  ['I live in York.', 'We moved to Leeds this morning, the new flat is great.'],
  ['I work at Siemens.', 'I started a new job at Bosch today.'],
  ['I work at Siemens.', 'I quit my job at Siemens today.'],
  ['I drive a Honda.', 'I sold the Honda today.'],
  ["I'm single.", 'We got married today!'],
  ['Ich wohne in Köln.', 'Ich bin heute nach Bonn gezogen.'],
  ['Ich arbeite bei Otto.', 'Ich habe heute bei Bosch angefangen.'],
  ['Ich fahre einen Golf.', 'Ich habe den Golf heute verkauft.'],
  ['Vivo en Sevilla.', 'Hoy me mudé a Valencia.'],
  ['Trabajo en Siemens.', 'Hoy empecé a trabajar en Bosch.'],
  ['我住在上海。', '我今天搬到深圳了。'],
  ['我在华为工作。', '我今天入职腾讯了。'],
  ['我开一辆本田。', '我今天把本田卖了。'],
])('a statement ends by what was done today: %s %s', (older, newer) => {
  expect(endingBy(older, newer)).toBe('All');
});

test.each([
  ['I work at Siemens.', 'I work at the library today.'],
  ['I work at Siemens.', 'I got up late, I work at Bosch today.'],
  ['I work at Siemens.', 'I needed quiet, so I work at Bosch today.'],
  ['I work at Siemens.', 'I got up late and I work at Bosch today.'],
  ['I live in York.', "I'm in Leeds today."],
  ['I drive a Honda.', 'I left the Honda at home today.'],
  ['Ich wohne in Köln.', 'Ich wohne heute in Bonn.'],
  ['Ich arbeite bei Otto.', 'Ich arbeite heute bei Bosch.'],
  ['Vivo en Sevilla.', 'Hoy vivo en Lugo.'],
  ['Trabajo en Siemens.', 'Hoy trabajamos en Bosch.'],
  ['我住在上海。', '我今天住在深圳。'],
  ['我在华为工作。', '我今天在腾讯工作了一天。'],
  ['I work at Siemens.', 'I dreamed I quit my job at Siemens today.'],
])('a statement stands beside what holds today: %s %s', (older, newer) => {
  expect(endingBy(older, newer)).toBe('None');
});

test.each([
  ['I live in York.', 'I dreamt that I moved to Leeds.'],
  ['Ich wohne in Köln.', 'Ich habe geträumt, ich bin nach Bonn gezogen.'],
  ['Vivo en Sevilla.', 'Soñé que me mudé a Valencia.'],
  ['我住在上海。', '我梦见我搬到了深圳。'],
])('a statement stands beside a dream: %s %s', (older, newer) => {
  expect(endingBy(older, newer)).toBe('None');
});
