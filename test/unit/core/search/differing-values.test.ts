import { describe, expect, test } from 'vitest';
import { saysOtherwise } from '#core/search/differing-values.ts';

describe('two nearly equal texts', () => {
  test.each([
    ['a day', 'Deploys are on Monday.', 'Deploys are on Tuesday.'],
    ['a number', 'The limit is 20 calls.', 'The limit is 200 calls.'],
    ['a number in words', 'We keep three copies.', 'We keep four copies.'],
    ['a date', 'Due on 2026-05-01.', 'Due on 2026-05-02.'],
    ['a decimal', 'It costs 1.5 euros.', 'It costs 15 euros.'],
    ['a frequency', 'It failed 2 times, then 2 times.', 'It failed 2 times.'],
    ['an identifier', 'Set maxRetries first.', 'Set maxReplies first.'],
    ['an address', 'Write to ann@example.com.', 'Write to bob@example.com.'],
    ['a version', 'Use v1.2 of it.', 'Use v1.3 of it.'],
    ['an acronym', 'The API is down.', 'The CPU is down.'],
    ['a name', 'Anna owns the release.', 'Boris owns the release.'],
    ['a name in a sentence', 'The flat is in Berlin.', 'The flat is in Bremen.'],
    ['a negation', 'Friday deploys are allowed.', 'Friday deploys are not allowed.'],
    ['a contraction', 'You can deploy on Friday.', "You can't deploy on Friday."],
    ['a German negation', 'Er mag Kaffee.', 'Er mag keinen Kaffee.'],
    ['a French negation', 'Il mange de la viande.', 'Il ne mange pas de viande.'],
    ['a Chinese negation', '他喜欢咖啡。', '他不喜欢咖啡。'],
    ['a Russian name', 'Договор подписала Анна.', 'Договор подписала Ольга.'],
  ])('differ in meaning if they differ in %s', (_, a, b) => {
    expect(saysOtherwise(a, b)).toBe(true);
    expect(saysOtherwise(b, a)).toBe(true);
  });

  test.each([
    ['the same text', 'Deploys are frozen on Fridays.', 'Deploys are frozen on Fridays.'],
    ['a capital at the start', 'Frozen are deploys.', 'All deploys are frozen.'],
    ['a plural', 'Anna owns the release.', "The release is Anna's."],
    ['thousands', 'We have 1,200 users.', 'We have 1200 users.'],
    ['other function words', 'The release is owned by Anna.', 'Anna owns this release.'],
    ['punctuation', 'Ship it, then rest', 'Ship it; then rest!'],
    ['no text', '', ''],
  ])('have the same meaning with %s', (_, a, b) => {
    expect(saysOtherwise(a, b)).toBe(false);
    expect(saysOtherwise(b, a)).toBe(false);
  });
});
