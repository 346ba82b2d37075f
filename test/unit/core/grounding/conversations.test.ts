import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verdictOn, type Conversation } from '#test/grounding/conversations.ts';

const TABLE = join(import.meta.dirname, '../../../grounding/conversations.jsonl');
const CONVERSATIONS = readFileSync(TABLE, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Conversation);

/** As reached. */
const CAUGHT_MIN = 48;
const REPLACED_MAX = 22;

function droppedOf(side: 'true' | 'false'): readonly boolean[] {
  return CONVERSATIONS.flatMap((each) => each[side].map((fact) => verdictOn(each, fact) !== null));
}

describe('conversations', () => {
  test('almost all false facts of real conversations are dropped', () => {
    const dropped = droppedOf('false');
    expect(dropped).toHaveLength(50);
    expect(dropped.filter(Boolean).length).toBeGreaterThanOrEqual(CAUGHT_MIN);
  });

  test('most true facts of real conversations stay as worded', () => {
    const dropped = droppedOf('true');
    expect(dropped).toHaveLength(50);
    expect(dropped.filter(Boolean).length).toBeLessThanOrEqual(REPLACED_MAX);
  });
});
