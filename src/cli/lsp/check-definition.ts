import { uncapitalized } from "../../base/text/uncapitalized.js";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import { Report } from "../../compiler/diagnostics/report.js";
import type { Host } from "../../compiler/host.js";
import { PackageMissingError } from "../../machine/optional-package.js";
import { secretVariable } from "../../pipelines/definition/secret-variable.js";
import { planRead } from "../pipeline/plan-file.js";
import type { Terminal } from "../terminal/terminal.js";

/** Why an ABI that a query names by its address is not there. Opening a file must not send requests. */
const unread = "pipeline validate fetches it, an editor does not";

/**
 * What `pipeline validate` finds in a definition without a network and without a database of subgraphs.
 * @param env values of variables and secrets
 */
export async function checkDefinition(
  path: string,
  host: Host,
  env: NonNullable<Terminal["env"]>,
): Promise<readonly Diagnostic[]> {
  const report = new Report();
  try {
    await planRead(
      path,
      {
        host,
        variables: (name) => env[name],
        secret: (name) => env[secretVariable(name)],
        read: async () => {
          throw new Error(unread);
        },
        openSubgraphs: async () => ({ why: "no database of subgraphs is given" }),
        flinkIntegers: undefined,
      },
      report,
    );
  } catch (error) {
    if (!(error instanceof PackageMissingError)) throw error;
    report.note("sql-error", undefined, uncapitalized(error.message).replace(/\.$/, ""));
  }
  return report.diagnostics.map(({ hint, ...found }) => {
    if (found.message.endsWith(unread)) return { ...found, severity: "note" };
    return hint === undefined ? found : { ...found, hint };
  });
}
