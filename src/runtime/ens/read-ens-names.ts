import { isEnsHash } from "./ens-names.js";

/** One entry of a table of names. */
export interface EnsName {
  /** Keccak-256 of the name: 0x and 64 hex digits in lower case. */
  readonly hash: string;
  readonly name: string;
}

/** A table of names that cannot be read; the message names the line. */
export class EnsNamesError extends Error {
  override readonly name = "EnsNamesError";
}

/** Maximum length of a line in characters. */
export const longestLine = 10_000;

/**
 * Reads a table of names: one line `hash,name` per name, with or without the header line `hash,name`. Names may be in
 * quotation marks, as in CSV.
 * @param lines without line endings
 * @throws EnsNamesError for an invalid line
 */
export async function* readEnsNames(lines: AsyncIterable<string>): AsyncGenerator<EnsName> {
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() === "" || (number === 1 && line.trim() === "hash,name")) continue;
    yield nameIn(line, number);
  }
}

function nameIn(line: string, number: number): EnsName {
  const end = line.indexOf(",");
  const hash = line.slice(0, Math.max(end, 0)).trim().toLowerCase();
  if (!isEnsHash(hash)) {
    throw new EnsNamesError(`line ${number} does not start with a hash (0x and 64 hex digits) and a comma`);
  }
  const text = line.slice(end + 1).trimEnd();
  const [, quoted] = /^"((?:[^"]|"")*)"$/.exec(text) ?? [];
  const name = quoted === undefined ? text : quoted.replaceAll('""', '"');
  if (name === "" || name.includes("\0")) throw new EnsNamesError(`line ${number} has no name`);
  return { hash, name };
}
