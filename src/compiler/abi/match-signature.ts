import { type AbiEvent, type AbiFunction, plainSignature } from "./abi.js";
import type { SignatureSyntaxError, WrittenSignature } from "./parse-signature.js";
import { parseSignature, writtenSignatureText } from "./parse-signature.js";

/** A non-empty list. */
type Some<Entry> = readonly [Entry, ...Entry[]];

/** The result of looking up a written signature in a contract interface. */
export type SignatureMatch<Entry> =
  | { readonly kind: "match"; readonly entry: Entry }
  | { readonly kind: "unreadable"; readonly error: SignatureSyntaxError }
  /** Several entries match: by name alone, or an event and a function with the same parameters. */
  | { readonly kind: "ambiguous"; readonly entries: Some<Entry> }
  /** Only the `indexed` keywords differ; all entries with these types. */
  | { readonly kind: "indexed-differs"; readonly entries: Some<Entry> }
  /** No entry matches; `sameName` has entries of that name with other parameters. */
  | { readonly kind: "none"; readonly sameName: readonly Entry[] };

/** Finds the entry that a written signature refers to. */
export function matchSignature<Entry extends AbiEvent | AbiFunction>(
  text: string,
  entries: readonly Entry[],
): SignatureMatch<Entry> {
  const written = parseSignature(text);
  if ("expected" in written) return { kind: "unreadable", error: written };
  const sameName = entries.filter(
    (entry) =>
      entry.name === written.name && (written.keyword === undefined || written.keyword === entry.kind),
  );
  const wanted = writtenSignatureText(written);
  const sameTypes = written.parameters
    ? sameName.filter((entry) => plainSignature(entry) === wanted)
    : sameName;
  const [first, ...others] = sameTypes;
  if (first === undefined) return { kind: "none", sameName };
  if (!written.parameters?.some(({ indexed }) => indexed)) {
    return others.length === 0
      ? { kind: "match", entry: first }
      : { kind: "ambiguous", entries: [first, ...others] };
  }
  const exact = sameTypes.find((entry) => sameIndexed(entry, written));
  return exact ? { kind: "match", entry: exact } : { kind: "indexed-differs", entries: [first, ...others] };
}

function sameIndexed(entry: AbiEvent | AbiFunction, written: WrittenSignature): boolean {
  return entry.inputs.every((input, index) => input.indexed === written.parameters?.[index]?.indexed);
}
