import { createNodeHost } from "../../machine/files/host.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** The names that `init` and graph-cli give to a subgraph's first file. */
const usual = ["subgraph.json", "subgraph.yaml"];

/**
 * The subgraph that a command reads: the named one, or else the configuration or the manifest in the working directory.
 * @param command the full name of the command, for example `graphloom check`
 * @param more a further sentence for the error message, with a leading space
 * @throws UsageError when none is named and neither file exists
 */
export async function wordOr(
  named: string | undefined,
  command: string,
  { cwd }: Pick<Terminal, "cwd">,
  more = "",
): Promise<string> {
  if (named !== undefined) return named;
  const host = createNodeHost({ cwd });
  for (const name of usual) {
    const { kind } = await host.readFile(name, 0);
    if (kind === "too-large" || kind === "bytes") return name;
  }
  throw new UsageError(
    `Name a subgraph: ${command} <file or folder>. This folder has neither ${usual.join(" nor ")}.${more}`,
  );
}
