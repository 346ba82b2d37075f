/** Sentences of what was said, word for word and in order. */

/** Sentence rules of Unicode UAX #29, which every language shares. */
const SEGMENTER = new Intl.Segmenter('und', { granularity: 'sentence' });

/** Trimmed, without empty ones; none spans two lines. */
export function sentencesOf(text: string): readonly string[] {
  return (
    text
      .split('\n')
      // Where nothing is said, the segmenter takes as long as elsewhere.
      .filter((line) => line.trim() !== '')
      .flatMap((line) => [...SEGMENTER.segment(line)].map(({ segment }) => segment.trim()))
      .filter((sentence) => sentence !== '')
  );
}
