/** A library that checks every answer and error against the table of operations. */
import { libraryOf, type Library } from '#api/library.ts';
import { COMMON_ERRORS } from '#api/operations/operation.ts';
import { mapOperations, OPERATIONS } from '#api/operations/table.ts';
import { VarveError } from '#core/errors.ts';
import { expect } from 'vitest';

/** Each call answers only fields that its row names, and fails only with codes that it names. */
export function checkedLibrary(library: Library): Library {
  const calls = mapOperations(OPERATIONS, ({ output, errors }, name) => {
    const call = callOf(library, name);
    return async (input?: unknown): Promise<unknown> => {
      const answer = await call(input).catch((error: unknown) => {
        if (error instanceof VarveError)
          expect([...COMMON_ERRORS, ...errors]).toContain(error.code);
        throw error;
      });
      expect(output.parse(answer)).toEqual(answer);
      return answer;
    };
  });
  return calls as unknown as Library;
}

/** As `libraryOf`, checked. */
export function checkedLibraryOf(...parts: Parameters<typeof libraryOf>): Library {
  return checkedLibrary(libraryOf(...parts));
}

type Call = (input: unknown) => Promise<unknown>;

function callOf(library: Library, name: string): Call {
  const tree = library as unknown as Readonly<
    Record<string, Call & Readonly<Record<string, Call>>>
  >;
  const [group = '', method] = name.split('.');
  const call = method === undefined ? tree[group] : tree[group]?.[method];
  if (call === undefined) throw new Error(`The library has no ${name}.`);
  return call;
}
