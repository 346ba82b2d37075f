/** How two lines of MEMORY.md relate to each other. */
import { expect, test } from 'vitest';
import {
  isContained,
  isRepeated,
  isSame,
  mayReplace,
  comparableLine,
} from '#core/dreams/compare-lines.ts';

const RELATIONS = { same: isSame, held: isContained, repeated: isRepeated, replaced: mayReplace };

// How the first line stands to the second: which of the relations hold, in this order.
test.each<[older: string, newer: string, relations: string]>([
  ['Ann likes tea.', 'ann likes **tea**', 'same held repeated replaced'],
  ['Ann has the cat.', 'Ann has a cat', 'same held repeated replaced'],
  ['Ann likes black tea.', 'Ann likes black coffee.', 'replaced'],
  ['Ann manages Bob.', 'Bob manages Ann.', 'replaced'],
  ['It costs 5 $', 'It costs 5 €', 'replaced'],
  ['Ann leads search.', 'Ann leads search and Bob leads billing.', 'held replaced'],
  ['Bob leads billing.', 'Ann leads search and Bob leads billing.', 'held replaced'],
  ['Ann leads search.', 'Ann leads search and billing.', 'replaced'],
  ['Bob sings.', 'Ann sings. Bob sings!', 'held replaced'],
  ['Bob sings.', 'Ann rests and Bob of Bern sings.', 'replaced'],
  ['Bob sings.', 'If Ann comes, Bob sings.', 'replaced'],
  ['We use pnpm.', 'Ann says so, but we use pnpm.', 'held replaced'],
  ['Ann has v1', 'Ann has v1.2', 'replaced'],
  [
    'Ann lives in the old town of Bern',
    'Ann lives in the old town of Bern now',
    'repeated replaced',
  ],
  ['Ann lives in the old town of Bern', 'In the old town of Bern Ann lives', 'replaced'],
  ['Ann lives in Bern', 'Ann lives in Bern since she left the far north of Norway', 'replaced'],
  ['Ann lives in the old town of Bern', 'Ann never lives in the old town of Bern', 'replaced'],
  ['Ann likes tea, cake and long walks', 'Ann likes tea', 'replaced'],
  ['Ann likes tea', 'Bob sells boats', ''],
  ['', 'Ann likes tea', ''],
])('%s / %s: %s', (older, newer, relations) => {
  const [one, other] = [comparableLine(older), comparableLine(newer)];
  const held = Object.entries(RELATIONS).flatMap(([name, holds]) =>
    holds(one, other) ? [name] : [],
  );
  expect(held.join(' ')).toBe(relations);
});
