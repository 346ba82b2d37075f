/** Turns Markdown and plain text into memories. */
import { chunksOf } from '#core/text/cut-long-text.ts';
import { type InputFile, readDocument } from './input-file.ts';
import { boundedKey, type MemoryItem } from './import-item.ts';
import { sectionsOf } from './markdown-sections.ts';

/**
 * Returns one memory for each section of Markdown, or for each group of paragraphs of other text.
 */
export async function documentItems(file: InputFile): Promise<readonly MemoryItem[]> {
  const text = await readDocument(file);
  if (file.format === 'markdown') {
    return sectionsOf(text).map((section) => {
      const heading = section.headings.join(' > ');
      return item(file, { place: section.path, text: section.text, heading });
    });
  }
  const chunks = chunksOf(text).map((chunk) => chunk.trim());
  return chunks
    .filter((chunk) => chunk !== '')
    .map((chunk, at) => item(file, { place: String(at + 1), text: chunk, heading: '' }));
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
