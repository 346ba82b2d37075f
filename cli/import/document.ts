/** The memories of a Markdown or text document. */
import { type InputFile, readDocument } from './input-file.ts';
import type { MemoryItem } from './item.ts';
import { sectionsOf } from './markdown.ts';
import { chunksOf } from '#core/text/chunk.ts';
import { boundedKey } from './slug.ts';

/** One memory a section of Markdown, or a group of paragraphs of other text. */
export async function documentItems(file: InputFile): Promise<readonly MemoryItem[]> {
  const text = await readDocument(file);
  if (file.format === 'markdown') {
    return sectionsOf(text).map((section) => {
      const heading = section.headings.join(' > ');
      return item(file, { place: section.path, text: section.text, heading });
    });
  }
  const pieces = chunksOf(text).map((piece) => piece.trim());
  return pieces
    .filter((piece) => piece !== '')
    .map((piece, at) => item(file, { place: String(at + 1), text: piece, heading: '' }));
}

function item(
  file: InputFile,
  section: { place: string; text: string; heading: string },
): MemoryItem {
  const { place, text, heading } = section;
  return {
    kind: 'memory',
    layer: null,
    identifiers: {},
    text,
    key: boundedKey(`${file.name}#${place}`),
    tags: [],
    metadata: heading === '' ? { file: file.name } : { file: file.name, heading },
    at: null,
  };
}
