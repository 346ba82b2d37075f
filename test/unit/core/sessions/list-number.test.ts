import { describe, expect, test } from 'vitest';
import { withListNumber } from '#core/sessions/list-number.ts';

const RULES = 'My rules:\n1. Never call before ten.\n 2) No jokes: never.\n- Milk\n3. 别发邮件。';

describe('a line of a daily file', () => {
  test.each([
    ['user: Never call before ten.', 'user: (1) Never call before ten.'],
    ['Never call before ten.', '(1) Never call before ten.'],
    ['No jokes: never.', '(2) No jokes: never.'],
    ['user: No jokes: never.', 'user: (2) No jokes: never.'],
    ['user: 别发邮件。', 'user: (3) 别发邮件。'],
    ['user: Milk', 'user: Milk'],
    ['user: My rules', 'user: My rules'],
    ['user: I row on 2. May.', 'user: I row on 2. May.'],
    ['', ''],
  ])('gets the number that it has in a list: "%s"', (line, numbered) => {
    expect(withListNumber(line, RULES)).toBe(numbered);
  });
});
