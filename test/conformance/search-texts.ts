/** Texts of many scripts and intents, for tests of the keyword leg. */

/** A content that a query in words has to find. */
interface WordCase {
  readonly content: string;
  readonly query: string;
}

export const WORD_CASES: readonly (readonly [string, WordCase])[] = [
  ['a word finds itself', { content: 'A zebra sleeps.', query: 'zebra' }],
  ['a word finds its other forms', { content: 'She was gardening.', query: 'garden' }],
  ['upper and lower case are one', { content: 'The ZEBRA sleeps.', query: 'zebra' }],
  ['words of Chinese are found in a sentence', { content: '我们明天讨论预算问题', query: '预算' }],
  ['words of Japanese are found', { content: '次の会議で予算を決める', query: '会議' }],
  ['words of Korean are found', { content: '다음 회의에서 예산을 결정한다', query: '예산' }],
  ['emoji are found', { content: 'Launch went well 🚀🎉', query: '🚀' }],
  ['Arabic is found', { content: 'موعد الاجتماع غدا', query: 'الاجتماع' }],
  ['Hebrew is found', { content: 'הפגישה תתקיים מחר', query: 'הפגישה' }],
  ['accents that are written in two ways are one', { content: 'Cafe\u0301 Zoë', query: 'Café' }],
  ['an identifier is found by its parts', { content: 'Set userId first.', query: 'user id' }],
  ['an identifier is found by itself', { content: 'Set userId first.', query: 'userId' }],
  ['a name with underscores is found', { content: 'See max_retry_count.', query: 'retry count' }],
  ['a number is found', { content: 'Invoice 2026-4711 is open.', query: '4711' }],
];

/** What a query language, a shell or a page would act on. */
export const HOSTILE_TEXTS: readonly string[] = [
  '"unclosed AND (NEAR/2',
  'a* OR b* NOT c',
  'content:secret^2 -minus +plus',
  "'; DROP TABLE memories; --",
  '{"$where": "sleep(1000)"}',
  '$ne',
  '%_\\',
  '[[]] ?? ** .*',
  '<script>alert(1)</script>',
  '__proto__ constructor toString',
  '\u202Etxet desrever',
  'zero\u200Bwidth',
];
