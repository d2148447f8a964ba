/** The quotes of a scalar. Styles with the same escapes share one. */
export type Quoting =
  /** Without quotes: a plain or block scalar of YAML, a bare key of JSON5, a number. */
  | "none"
  | "double"
  /** YAML: quotes inside are doubled. */
  | "yaml-single"
  /** JSON5: quotes inside are escaped. */
  | "json5-single";

/** The quoting of a scalar, from its first character and the file's name. */
export function quotingOf(first: string | undefined, path: string): Quoting {
  if (first === '"') return "double";
  if (first !== "'") return "none";
  // Both YAML and JSON5 have single quotes; only the file's name distinguishes them.
  return /\.json5$/i.test(path) ? "json5-single" : "yaml-single";
}

/** Characters that JSON allows unescaped, but that YAML, JSON5 or an editor may drop or treat as a line break. */
const unwelcome = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must be escaped
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;

/**
 * Escapes a piece of text for a scalar in a quoting style.
 * @returns `undefined` if the style cannot express it
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

/** Encodes a text as a double-quoted string with the same meaning in JSON, JSON5 and YAML. */
export function encodeQuoted(text: string): string {
  return JSON.stringify(text).replace(
    unwelcome,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
