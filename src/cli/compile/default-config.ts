import { createNodeHost } from "../../node/host.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage-error.js";

/** The name that `init` gives a configuration. */
const usual = "subgraph.json";

/**
 * The configuration that a command is about: the one that is named, or `subgraph.json` of the working directory.
 * @param command how the command is called, as in `graphloom check`
 * @param more what else to say where there is none, with a blank before it
 * @throws UsageError where none is named, and there is no such file
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
