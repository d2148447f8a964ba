import { type Document, isScalar, type Scalar, visit } from "yaml";

/** The first duplicate key in a document's maps. The parser's own search takes quadratic time. */
export function repeatedKey(document: Document): Scalar | undefined {
  let found: Scalar | undefined;
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) {
          found = key;
          return visit.BREAK;
        }
        seen.add(key.value);
      }
      return undefined;
    },
  });
  return found;
}
