/** Turns what a dream reads into sources: the lines of MEMORY.md and the blocks of daily files. */
import { contentHash, type Digest } from '../hash.ts';
import type { DreamQuestion } from '../ports/dream-model.ts';
import type { TokenCounter } from '../ports/token-counter.ts';
import type { Document, DocumentLine } from '../records/document.ts';
import { leastTrust, type Trust } from '../trust.ts';
import { turnPosition, type Source } from '../sources/source.ts';
import { withoutKeepMark } from '../memory-files/keep-mark.ts';
import { utf8Bytes } from '../storable-text.ts';
import { fittedMemory } from './memory-md-size.ts';
import { byPlace, type DreamBlocks } from './daily-files-to-read.ts';

interface SourceParts extends DreamBlocks {
  readonly owner: DreamQuestion['owner'];
  /** The current lines of MEMORY.md; empty if there is none. */
  readonly memory: readonly DocumentLine[];
}

interface SourceTools {
  readonly digest: Digest;
  readonly tokens: TokenCounter;
  /** cl100k tokens that MEMORY.md may have. */
  readonly tokensMax: number;
}

/**
 * Returns everything to read; `fittedDream` removes what the model has no room for. If MEMORY.md is
 * already too large, leaves out the lines that will go to the archive.
 */
export function dreamQuestion(
  { owner, memory, fresh, known }: SourceParts,
  tools: SourceTools,
): DreamQuestion {
  const seen = new Set(known.map(({ id }) => id));
  const blocks = [...fresh, ...known].toSorted(byPlace);
  const { lines: shown } = fittedMemory(memory, {
    isNew: () => false,
    tokens: tools.tokens,
    tokensMax: tools.tokensMax,
  });
  const lines = shown.map((line, index) =>
    sourceOf({ ...line, text: withoutKeepMark(line.text), position: turnPosition(index) }, tools),
  );
  const daily = blocks.map((block, index) =>
    sourceOf(
      {
        id: block.id,
        text: blockText(block),
        at: block.at,
        trust: trustOf(block),
        position: turnPosition(shown.length + index),
      },
      tools,
    ),
  );
  return {
    owner,
    memory: lines,
    headings: new Map(memory.map(({ id, heading }) => [id, heading && withoutKeepMark(heading)])),
    daily,
    readBefore: seen,
    tokensMax: tools.tokensMax,
  };
}

/** Returns the sources of a question by id, for grounding. */
export function sourcesById({ memory, daily }: DreamQuestion): ReadonlyMap<string, Source> {
  return new Map([...memory, ...daily].map((source) => [source.id, source]));
}

export function blockText({ lines }: Pick<Document, 'lines'>): string {
  return lines.map(({ text }) => text).join('\n');
}

/** Returns the trust of a block: the lowest trust of its lines. */
function trustOf({ lines }: Document): Trust {
  return lines.length === 0 ? 'untrusted' : leastTrust(lines.map(({ trust }) => trust));
}

function sourceOf(
  { id, text, at, trust, position }: Pick<Source, 'id' | 'text' | 'at' | 'trust' | 'position'>,
  { digest, tokens }: SourceTools,
): Source {
  return {
    id,
    kind: 'memory',
    position,
    text,
    contentHash: contentHash(digest, text),
    tokens: tokens.count(text),
    bytes: utf8Bytes(text),
    at,
    speaker: null,
    role: null,
    trust,
    expiresAt: null,
  };
}
