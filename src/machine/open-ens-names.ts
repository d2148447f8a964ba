import { createReadStream } from "node:fs";
import { type EnsName, EnsNamesError, longestLine, readEnsNames } from "../runtime/ens/read-ens-names.js";

/**
 * Streams the names in a file with one line `hash,name` each.
 * @throws EnsNamesError for an invalid line; the system's error for a file that cannot be read
 */
export function openEnsNames(path: string): AsyncGenerator<EnsName> {
  return readEnsNames(linesOf(path));
}

async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = "";
  let number = 0;
  for await (const chunk of createReadStream(path, "utf8")) {
    const lines = `${rest}${chunk}`.split(/\r?\n/);
    rest = lines.pop() ?? "";
    number += lines.length;
    if (rest.length > longestLine) {
      throw new EnsNamesError(`line ${number + 1} is longer than ${longestLine} characters`);
    }
    yield* lines;
  }
  if (rest !== "") yield rest;
}
