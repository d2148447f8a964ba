import { createNodeHost } from "../../node/host.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage-error.js";

/** The name that `init` gives a configuration. */
const usual = "subgraph.json";

/**
 * The configuration that a command reads: the named one, or `subgraph.json` in the working directory.
 * @param command the full name of the command, for example `graphloom check`
 * @param more a further sentence for the error message, with a leading space
 * @throws UsageError when none is named and the file does not exist
 */
export async function configOr(
  named: string | undefined,
  command: string,
  { cwd }: Pick<Terminal, "cwd">,
  more = "",
): Promise<string> {
  if (named !== undefined) return named;
  const { kind } = await createNodeHost({ cwd }).readFile(usual, 0);
  if (kind === "too-large" || kind === "bytes") return usual;
  throw new UsageError(
    `Name a configuration: ${command} ${usual}. There is no ${usual} in this folder.${more}`,
  );
}
