/**
 * A model of eight words, made by this file in Hugging Face's file formats: its ONNX graph looks up
 * a vector of four numbers for each token.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

export const TINY_DIMENSIONS = 4;

/** Words that mean the same are near; the marks around a text and the prefixes are nothing. */
const VECTORS: Readonly<Record<string, readonly number[]>> = {
  '[UNK]': [0, 0, 0, 0.01],
  '[CLS]': [0, 0, 0, 0],
  '[SEP]': [0, 0, 0, 0],
  query: [0, 0, 0, 0],
  passage: [0, 0, 0, 0],
  ':': [0, 0, 0, 0],
  car: [1, 0, 0, 0],
  automobile: [0.9, 0.1, 0, 0],
  soup: [0, 1, 0, 0],
  river: [0, 0, 1, 0],
};
const WORDS = Object.keys(VECTORS);

export interface TinyFiles {
  readonly config?: Readonly<Record<string, unknown>>;
  readonly tokenizerConfig?: Readonly<Record<string, unknown>>;
  /** In place of a graph that can be run. */
  readonly graph?: Uint8Array;
}

/** By the names that a server serves them under. */
export function tinyFiles(differing: TinyFiles = {}): Readonly<Record<string, Uint8Array>> {
  const config = {
    model_type: 'bert',
    hidden_size: TINY_DIMENSIONS,
    max_position_embeddings: 32,
    ...differing.config,
  };
  const tokenizerConfig = { model_max_length: 32, ...differing.tokenizerConfig };
  return {
    'config.json': json(config),
    'tokenizer.json': json(TOKENIZER),
    'tokenizer_config.json': json(tokenizerConfig),
    'onnx/model_quantized.onnx': differing.graph ?? tinyGraph(),
  };
}

export async function writeTinyModel(folder: string, differing: TinyFiles = {}): Promise<void> {
  for (const [name, bytes] of Object.entries(tinyFiles(differing))) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
}

function json(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

const TOKENIZER = {
  version: '1.0',
  added_tokens: [],
  normalizer: { type: 'Lowercase' },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [
      { SpecialToken: { id: '[CLS]', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: '[SEP]', type_id: 0 } },
    ],
    pair: [],
    special_tokens: {
      '[CLS]': { id: '[CLS]', ids: [WORDS.indexOf('[CLS]')], tokens: ['[CLS]'] },
      '[SEP]': { id: '[SEP]', ids: [WORDS.indexOf('[SEP]')], tokens: ['[SEP]'] },
    },
  },
  decoder: null,
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(WORDS.map((word, index) => [word, index])),
  },
};

// ONNX as protobuf: fields by the numbers of onnx.proto.

const FLOAT = 1;
const INT64 = 7;
const LENGTH_DELIMITED = 2;
const OPSET = 17;
const IR_VERSION = 8;

/** `last_hidden_state = Gather(table, input_ids)`; the mask is asked for, as in real models. */
function tinyGraph(): Uint8Array {
  const numbers = Float32Array.from(Object.values(VECTORS).flat());
  const table = message([
    [1, WORDS.length],
    [1, TINY_DIMENSIONS],
    [2, FLOAT],
    [8, 'table'],
    [9, new Uint8Array(numbers.buffer)],
  ]);
  const gather = message([
    [1, 'table'],
    [1, 'input_ids'],
    [2, 'last_hidden_state'],
    [4, 'Gather'],
  ]);
  const graph = message([
    [1, gather],
    [2, 'tiny'],
    [5, table],
    [11, tensor('input_ids', INT64, ['texts', 'tokens'])],
    [11, tensor('attention_mask', INT64, ['texts', 'tokens'])],
    [12, tensor('last_hidden_state', FLOAT, ['texts', 'tokens', TINY_DIMENSIONS])],
  ]);
  return message([
    [1, IR_VERSION],
    [7, graph],
    [8, message([[2, OPSET]])],
  ]);
}

function tensor(name: string, type: number, shape: readonly (string | number)[]): Uint8Array {
  const dims = shape.map((size): Field => {
    return [1, message([typeof size === 'string' ? [2, size] : [1, size]])];
  });
  const typed = message([
    [1, type],
    [2, message(dims)],
  ]);
  return message([
    [1, name],
    [2, message([[1, typed]])],
  ]);
}

type Field = readonly [number: number, value: string | number | Uint8Array];

function message(fields: readonly Field[]): Uint8Array {
  const parts = fields.map(([number, value]) => {
    if (typeof value === 'number') return Buffer.concat([varint(number << 3), varint(value)]);
    const bytes = typeof value === 'string' ? Buffer.from(value) : value;
    return Buffer.concat([varint((number << 3) | LENGTH_DELIMITED), varint(bytes.length), bytes]);
  });
  return Buffer.concat(parts);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let left = value;
  for (; left > 0x7f; left >>>= 7) bytes.push((left & 0x7f) | 0x80);
  return Uint8Array.from([...bytes, left]);
}
