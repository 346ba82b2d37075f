/** Readings that are made once for each text, however many facts are judged by it. */

/**
 * A reader that keeps what it made of an object for as long as somebody holds that object, so that
 * nothing has to bound it.
 */
export function readOnce<Text extends object, Reading>(
  read: (text: Text) => Reading,
): (text: Text) => Reading {
  const known = new WeakMap<Text, { readonly reading: Reading }>();
  return (text) => {
    const found = known.get(text) ?? { reading: read(text) };
    known.set(text, found);
    return found.reading;
  };
}
