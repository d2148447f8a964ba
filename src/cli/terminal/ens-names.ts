import { resolve } from "node:path";
import { fileReasons } from "../../base/file-reasons.js";
import { visible } from "../../base/text/visible.js";
import { openEnsNames } from "../../machine/open-ens-names.js";
import { type EnsName, EnsNamesError } from "../../runtime/ens/read-ens-names.js";
import { UsageError } from "./usage/usage-error.js";

const reasons: Readonly<Record<string, string>> = {
  ...fileReasons,
  ENOENT: "the file does not exist",
  EISDIR: "it is a folder",
};

/**
 * The ENS names in the file given with `--ens-names`.
 * @throws UsageError for a file that cannot be read, or is not a table of names
 */
export async function* namesInFile(file: string, cwd: string): AsyncGenerator<EnsName> {
  try {
    yield* openEnsNames(resolve(cwd, file));
  } catch (error) {
    const why = error instanceof EnsNamesError ? error.message : reasonOf(error);
    if (why === undefined) throw error;
    throw new UsageError(`--ens-names: ${visible(file)}: ${why}.`);
  }
}

/** Why the system refuses something; `undefined` for other errors. */
function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  return reasons[error.code] ?? error.code;
}
