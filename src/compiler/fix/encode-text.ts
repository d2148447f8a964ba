/** How a scalar is written. What cannot be told apart by its first character need not be. */
export type Quoting =
  /** Nothing around it: a plain scalar or a block of YAML, a bare key of JSON5, a number. */
  | "none"
  | "double"
  /** YAML: a quote inside is doubled. */
  | "yaml-single"
  /** JSON5: a quote inside is escaped. */
  | "json5-single";

/** How the scalar that begins with `first` in a file of this name is written. */
export function quotingOf(first: string | undefined, path: string): Quoting {
  if (first === '"') return "double";
  if (first !== "'") return "none";
  // Of the formats with single quotes, JSON5 is only ever chosen by the name.
  return /\.json5$/i.test(path) ? "json5-single" : "yaml-single";
}

/** What JSON leaves as it is, but YAML, JSON5 or an editor may take for a line break or drop. */
const unwelcome = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to be escaped
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;

/**
 * Writes a piece of text for the inside of a scalar.
 * @returns nothing when that way of writing has no means for it
 */
export function encodePiece(text: string, quoting: Quoting): string | undefined {
  switch (quoting) {
    case "double":
      return encodeQuoted(text).slice(1, -1);
    case "json5-single":
      return encodePiece(text, "double")?.replaceAll('\\"', '"').replaceAll("'", "\\'");
    case "yaml-single":
      return control.test(text) ? undefined : text.replaceAll("'", "''");
    case "none":
      return control.test(text) ? undefined : text;
  }
}

/** Writes a text as a double-quoted string, which JSON, JSON5 and YAML read alike. */
export function encodeQuoted(text: string): string {
  return JSON.stringify(text).replace(
    unwelcome,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
