import { describe, expect, test } from 'vitest';
import type { SummaryPart } from '#core/context/context-parts.ts';
import { partTextOf } from '#core/context/context-text.ts';
import { comparedLayers, withOutdatedMarked } from '#core/recall/outdated/mark-outdated.ts';
import { endingByUser } from '#core/recall/outdated/replacements.ts';
import { readDatedText } from '#core/recall/outdated/likely-correction.ts';
import { assemble, pastOf, relatedOf, summaryPart, tokens, turnOf } from './context-input.ts';

describe('layer summaries in a context', () => {
  test('SUM-08: all layer summaries start at their shortest depth and are deepened by relevance', () => {
    const deep = { sentence: 's'.repeat(8), paragraph: 'p'.repeat(120) };
    const layerSummaries = [summaryPart('user', deep, 0.1), summaryPart('team', deep, 0.9)];
    const depthsAt = (limit: number) =>
      assemble({ layerSummaries, limit })
        .receipt.filter(({ kind }) => kind === 'layerSummary')
        .map(({ depth }) => depth);
    const both = assemble({ layerSummaries }).tokens;
    expect(depthsAt(both)).toEqual(['paragraph', 'paragraph']);
    expect(depthsAt(both - 1)).toEqual(['sentence', 'paragraph']);
    expect(depthsAt(both - 30)).toEqual(['sentence', 'sentence']);
  });

  test('the more specific of equally relevant layers is deepened first', () => {
    const deep = { sentence: 's'.repeat(8), paragraph: 'p'.repeat(120) };
    const layerSummaries = [summaryPart('team', deep, 0.5), summaryPart('user', deep, 0.5)];
    const limit = assemble({ layerSummaries }).tokens - 1;
    const { receipt } = assemble({ layerSummaries, limit });
    const depthOf = (layer: string) => receipt.find((line) => line.layer === layer)?.depth;
    expect([depthOf('user'), depthOf('team')]).toEqual(['paragraph', 'sentence']);
  });

  test('a short layer is not deepened before a more relevant long one', () => {
    const long = { sentence: 's'.repeat(8), paragraph: 'p'.repeat(400) };
    const short = { sentence: 's'.repeat(8), paragraph: 'p'.repeat(40) };
    const layerSummaries = [summaryPart('user', short, 0.1), summaryPart('team', long, 0.9)];
    const depthsAt = (limit: number) =>
      assemble({ layerSummaries, limit })
        .receipt.filter(({ kind }) => kind === 'layerSummary')
        .map(({ depth }) => depth);
    const both = assemble({ layerSummaries }).tokens;
    expect(depthsAt(both - 1)).toEqual(['sentence', 'paragraph']);
    expect(depthsAt(both - 50)).toEqual(['sentence', 'sentence']);
  });

  test('a text that is the same at a longer depth is shown as that depth', () => {
    const same = { sentence: 'All of it.', paragraph: 'All of it.', detailed: 'All of it.' };
    const { receipt } = assemble({ layerSummaries: [summaryPart('user', same, 0.9)] });
    const line = receipt.find(({ kind }) => kind === 'layerSummary');
    expect(line).toMatchObject({ depth: 'detailed', reason: 'OpenLayer' });
  });
});

/** A summary of two sentences, each with a fact of its own. */
function homeAndWork(layer: SummaryPart['layer'] = 'user'): SummaryPart {
  return summaryOf(['I live in Lyon.', 'I work at the mill.'], layer);
}

function summaryOf(texts: readonly string[], layer: SummaryPart['layer'] = 'user'): SummaryPart {
  const sentences = texts.map((text, n) => ({
    text,
    sources: [`turn-${String(n)}`],
    trust: 'stated' as const,
    sinceThen: false,
  }));
  const text = sentences.map((each) => each.text).join(' ');
  const sources = sentences.flatMap((each) => each.sources);
  const whole = { text, sources, trust: 'stated' as const, sinceThen: [], sentences };
  return { ...summaryPart(layer, {}), depths: { sentence: whole } };
}

describe('a sentence that a summary and a turn or memory both say', () => {
  const summariesOf = (text: string) => text.split('## Summaries\n')[1]?.split('\n\n')[0];

  test('a summary leaves out the sentences that shown turns say', () => {
    const said = [pastOf(0, 'I live in Lyon.'), pastOf(4, 'I moved to Berlin.')];
    const layerSummaries = [homeAndWork()];
    const { text, receipt } = assemble({ layerSummaries, pastTurns: said });
    expect(summariesOf(text)).toBe('- user: I work at the mill.');
    const line = receipt.find(({ kind }) => kind === 'layerSummary');
    expect(line).toMatchObject({ included: true, sources: ['turn-1'] });
    const latest = assemble({ layerSummaries, hotTurns: [turnOf(7, 'user: I live in Lyon.')] });
    expect(summariesOf(latest.text)).toBe('- user: I work at the mill.');
  });

  test.each(['My exam is on Friday', 'My exam is on Friday.'])(
    'a summary leaves out a date with its sentence if a turn says the sentence: %s',
    (said) => {
      const summary = summaryOf(['My exam is on Friday.', '(2026-03-01)', 'I work at the mill.']);
      const { text } = assemble({ layerSummaries: [summary], pastTurns: [pastOf(0, said)] });
      expect(summariesOf(text)).toBe('- user: I work at the mill.');
      const apart = assemble({ layerSummaries: [summary], pastTurns: [pastOf(0, 'Hello.')] });
      expect(summariesOf(apart.text)).toContain('My exam is on Friday. (2026-03-01)');
    },
  );

  test('a summary is a duplicate and has no line if turns say all of it', () => {
    const said = [pastOf(0, 'I live in Lyon. I work at the mill.')];
    const { text, receipt } = assemble({ layerSummaries: [homeAndWork()], pastTurns: said });
    expect(text).not.toContain('## Summaries');
    const line = receipt.find(({ kind }) => kind === 'layerSummary');
    expect(line).toMatchObject({ included: false, reason: 'Duplicate' });
  });

  test('a summary leaves out the sentences that shown memories say', () => {
    const related = relatedOf(1, 0.9, 'I live in Lyon. (2026-03-01)');
    const { text, receipt } = assemble({
      layerSummaries: [homeAndWork()],
      relatedEntities: [related],
    });
    expect(text.split('\n\n').slice(1, 3)).toEqual([
      '## Summaries\n- user: I work at the mill.',
      '## Related\n- user: I live in Lyon. (2026-03-01)',
    ]);
    const summaryTokens = receipt.find(({ kind }) => kind === 'layerSummary')?.tokens;
    expect(summaryTokens).toBe(tokens.count('I work at the mill.'));
  });

  test('a sentence that a summary leaves to a memory makes room for one more turn', () => {
    const pastTurns = [pastOf(0, 'The mill has a red gate.'), pastOf(1, 'The mill has two cats.')];
    const relatedEntities = [relatedOf(1, 0.9, 'I live in Lyon.')];
    const asked = { layerSummaries: [homeAndWork()], pastTurns, relatedEntities, limit: 60 };
    const apart = [relatedOf(1, 0.9, 'I like to run.')];
    const turnsIn = ({ text }: { text: string }) => text.match(/The mill has/gu)?.length;
    expect(turnsIn(assemble({ ...asked, relatedEntities: apart }))).toBe(1);
    expect(turnsIn(assemble(asked))).toBe(2);
  });

  test('a memory that a turn says stays if the summaries would not fit without it', () => {
    const sentence = 'I live in Lyon and work at the mill by the river.';
    const said = { ...relatedOf(1, 0.9, sentence), statement: 'live in Lyon' };
    const asked = {
      layerSummaries: [summaryPart('project', { sentence }), summaryPart('company', { sentence })],
      pastTurns: [pastOf(0, 'We live in Lyon.')],
      relatedEntities: [said],
    };
    const roomy = assemble(asked).text;
    expect(roomy).not.toContain('## Related');
    expect(roomy.split(sentence)).toHaveLength(3);
    const { text } = assemble({ ...asked, limit: tokens.count(roomy) - 1 });
    expect(text).toContain('We live in Lyon.');
    expect(text.split(sentence)).toHaveLength(2);
  });

  test('a memory that only the deeper summary says is not shown beside it', () => {
    const news = ['I play the cello.', 'I am vegan now.'].map((text, n) => ({
      text,
      sources: [`memory-${String(n)}`],
      trust: 'stated' as const,
      sinceThen: true,
    }));
    const depths = { sentence: partTextOf(news.slice(0, 1)), paragraph: partTextOf(news) };
    const { text, receipt } = assemble({
      layerSummaries: [{ ...summaryPart('user', {}), depths }],
      relatedEntities: [relatedOf(1, 0.9, 'I am vegan now.')],
    });
    expect(text.match(/I am vegan now/gu)).toHaveLength(1);
    const line = receipt.find(({ kind }) => kind === 'relatedEntity');
    expect(line).toMatchObject({ included: false, reason: 'Duplicate' });
  });

  test('the stable layout keeps its summaries byte for byte', () => {
    const { text } = assemble({
      layout: 'cacheStable',
      layerSummaries: [homeAndWork()],
      pastTurns: [pastOf(0, 'I live in Lyon.')],
      relatedEntities: [relatedOf(1, 0.9, 'I work at the mill.')],
    });
    expect(summariesOf(text)).toBe('- user: I live in Lyon. I work at the mill.');
  });
});

describe('sentences that the user has since replaced', () => {
  const factOf = (n: number, at: number) => ({
    ...{ text: '', quote: '', speaker: 'user', trust: 'stated' as const },
    sources: [`turn-${String(n)}`],
    at,
  });
  const termsOf = (text: string) => text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const content = 'I moved to Berlin.';
  const moved = readDatedText({ content, at: 5, terms: () => new Set(termsOf(content)) });
  const endedByUser = endingByUser([moved], termsOf);
  const shown = (part: SummaryPart, at: number) =>
    withOutdatedMarked(
      part,
      comparedLayers(
        [{ layer: part.layer, scopeId: 'ann', facts: [factOf(0, at), factOf(1, at)] }],
        {
          memories: new Map(),
          termsOf,
          endedByUser,
        },
      ),
    ).depths.sentence?.text;

  test('an older sentence of a summary is marked', () => {
    expect(shown(homeAndWork(), 1)).toBe('I live in Lyon. (earlier) I work at the mill.');
  });

  test.each([
    ['of the same time', homeAndWork(), 5],
    ['of a layer that no user speaks for', homeAndWork('company'), 1],
  ])('a sentence %s is not marked', (_, part, at) => {
    expect(shown(part, at)).toBe('I live in Lyon. I work at the mill.');
  });
});
