/** A JSON document as entries: one object, a list of them, or a chat's `messages`. */
import type { InputFile } from './input-file.ts';
import { readDocument } from './input-file.ts';
import type { Entry } from './json-lines.ts';
import { refusal } from './refusal.ts';

/** Fields by which even a broken document shows that it was meant for import. */
const MEANT = /"(?:meeting_transcripts|role|layer)"\s*:/;

/**
 * The document's objects. A broken document of a folder that was not meant for import, such as
 * settings with comments, is one entry without a shape.
 */
export async function readJsonDocument(file: InputFile): Promise<readonly Entry[]> {
  const text = await readDocument(file);
  if (text.trim() === '') return [];
  const place = { file: file.path };
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (file.inFolder && !MEANT.test(text)) return [{ kind: 'value', value: null, place }];
    const at = /position (\d+)/.exec(error.message)?.[1];
    const line = text.slice(0, Number(at ?? 0)).split('\n').length;
    throw refusal(
      { ...place, ...(at === undefined ? {} : { line }) },
      {
        problem: 'the document is not JSON',
        expected: 'Give one complete document, or one object a line in a .jsonl file.',
      },
    );
  }
  const list = listOf(document);
  if (list === null) return [{ kind: 'value', value: document, place }];
  return list.map((value, at) => ({ kind: 'value', value, place: { ...place, item: at + 1 } }));
}

function listOf(document: unknown): readonly unknown[] | null {
  if (Array.isArray(document)) return document;
  const isChat = typeof document === 'object' && document !== null && 'messages' in document;
  return isChat && Array.isArray(document.messages) ? document.messages : null;
}
