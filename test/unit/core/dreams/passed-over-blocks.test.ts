import { describe, expect, test } from 'vitest';
import { passedOverAfter, stillUnread } from '#core/dreams/passed-over-blocks.ts';
import { PASSED_OVER_MAX } from '#core/records/subject-record.ts';

const place = (version: number, path = 'memory/2026-11-01.md') => ({ path, version });
const passed = (version: number, times: number) => ({ ...place(version), times });
const MANY = Array.from({ length: PASSED_OVER_MAX + 5 }, (_, n) => place(n + 1));

describe('blocks that a dream passed over', () => {
  test('stay unread for two dreams, and count as read after the third', () => {
    const known = { passedOver: [passed(1, 1), passed(2, 2)] };
    expect(stillUnread(known, [place(1), place(2), place(3)])).toEqual([place(1), place(3)]);
    expect(stillUnread({}, [place(1)])).toEqual([place(1)]);
  });

  test('in another file are other blocks', () => {
    const other = place(2, 'memory/2026-11-02.md');
    expect(stillUnread({ passedOver: [passed(2, 2)] }, [other])).toEqual([other]);
  });

  test('are counted by each proposal that passes them over, and other counts stay', () => {
    const known = { passedOver: [passed(1, 1), passed(2, 1)] };
    const proposal = { blocks: [], passedOver: [place(2), place(3)] };
    expect(passedOverAfter(known, proposal)).toEqual([passed(1, 1), passed(2, 2), passed(3, 1)]);
  });

  test('are forgotten once a proposal has read them', () => {
    const known = { passedOver: [passed(1, 1), passed(2, 2)] };
    expect(passedOverAfter(known, { blocks: [place(2)] })).toEqual([passed(1, 1)]);
    expect(passedOverAfter({}, { blocks: [place(2)] })).toEqual([]);
  });

  test('are remembered up to a maximum, and the oldest are forgotten first', () => {
    expect(stillUnread({}, MANY)).toEqual(MANY.slice(0, PASSED_OVER_MAX));
    const known = MANY.slice(0, PASSED_OVER_MAX).map(({ version }) => passed(version, 1));
    const passedOver = MANY.slice(PASSED_OVER_MAX);
    const after = passedOverAfter({ passedOver: known }, { blocks: [], passedOver });
    expect(after).toEqual(MANY.slice(5).map(({ version }) => passed(version, 1)));
  });
});
