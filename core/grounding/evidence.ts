/** Evidence: a source read once, for every fact that cites it. */
import type { Source } from '../source.ts';
import { toldOf, type Told } from './attribution.ts';
import { measuresOf, type TimedMeasures } from './measure.ts';
import { nameBook, type NameBook } from './name.ts';
import { foldedText, linedText, plainText } from './plain-text.ts';
import { speakerOf, type Speaker } from './speaker.ts';
import { statementsOf } from './statement.ts';
import { tokensOf, type Token } from './token.ts';

/** What the judges of a fact ask of one source. */
export interface Evidence {
  readonly source: Source;
  readonly lined: string;
  readonly tokens: readonly Token[];
  readonly folded: string;
  readonly speaker: Speaker;
  readonly measures: TimedMeasures;
  readonly told: readonly Told[];
}

/** All sources of one scope; each is read when the first fact cites it. */
export interface EvidenceBook {
  readonly names: NameBook;
  readonly of: (source: Source) => Evidence;
  /** Whether somebody of that name speaks or is named anywhere in the scope. */
  readonly isKnown: (person: readonly string[]) => boolean;
  /** Whether exactly that name speaks in the scope. */
  readonly isSpeaker: (name: string) => boolean;
}

export function evidenceBook(
  sources: ReadonlyMap<string, Source>,
  facts: readonly string[],
): EvidenceBook {
  const tokens = new Map<string, readonly Token[]>();
  for (const source of sources.values()) tokens.set(source.id, tokensOf(plainText(source.text)));
  const speakers = [...sources.values()].flatMap(({ speaker }) => speaker ?? []);
  const texts = [...tokens.values(), ...facts.map((fact) => tokensOf(plainText(fact)))];
  const names = nameBook(texts, [...new Set(speakers)]);
  const spoken = new Set(speakers.map((speaker) => plainText(speaker).toLowerCase().trim()));
  const words = new Set([...sources.values()].flatMap((source) => selfOf(speakerOf(source))));
  for (const text of tokens.values()) {
    for (const { lower } of text) words.add(lower.replace(/'s?$/u, ''));
  }
  const read = new Map<string, Evidence>();
  return {
    names,
    of: (source) => {
      const known = read.get(source.id);
      if (known !== undefined) return known;
      const evidence = readSource(source, tokens.get(source.id) ?? [], names);
      read.set(source.id, evidence);
      return evidence;
    },
    isKnown: (person) => person.some((word) => words.has(word)),
    isSpeaker: (name) => spoken.has(name),
  };
}

/** What a fact may call who says `I`: by name or by role. */
function selfOf({ names, role }: Speaker): readonly string[] {
  return names.length === 0 || role === '' ? names : [...new Set([...names, role])];
}

function readSource(source: Source, tokens: readonly Token[], names: NameBook): Evidence {
  const speaker = speakerOf(source);
  const self = selfOf(speaker);
  const voices = { self, other: self.includes('assistant') ? ['user'] : [] };
  const named = tokensOf(plainText(source.speaker ?? ''));
  return {
    source,
    lined: linedText(source.text),
    tokens,
    folded: foldedText(`${source.speaker ?? ''} ${source.text}`),
    speaker,
    measures: { measures: measuresOf([...named, ...tokens]), at: source.at },
    told: statementsOf(tokens, names.isName).map((statement) => toldOf(statement, names, voices)),
  };
}
