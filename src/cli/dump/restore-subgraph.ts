import { visible } from "../../base/text/visible.js";
import type { DumpFiles } from "../../dumps/dump-files.js";
import { restoreToGraphNode } from "../../dumps/graph-node/restore-to-graph-node.js";
import { judgeDump } from "../../dumps/judge-dump.js";
import { type RestoreReport, restoreDump } from "../../dumps/restore-dump.js";
import type { Database } from "../../store/database/database.js";
import { type DatabaseWorld, openOwnDatabase } from "../../store/open.js";
import { printJson } from "../remote/print-json.js";
import type { RemoteArguments } from "../remote/session.js";
import { parseProjectName } from "../subgraph/project-name.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { openGraphNode } from "./dump-subgraph.js";
import { restoreToServer } from "./restore-to-server.js";
import { type DumpArguments, explaining, isOnServer, withDump } from "./with-dump.js";

export interface RestoreArguments extends DumpArguments {
  readonly name?: string | undefined;
  readonly replace: boolean;
  readonly graphNode: boolean;
}

/** Restores a dump; returns the exit code. @throws UsageError */
export async function restoreSubgraph(
  args: RestoreArguments & RemoteArguments,
  terminal: Terminal,
): Promise<number> {
  const show = (report: RestoreReport, next = ""): number => {
    if (args.output === "json") printJson(report, terminal);
    else tell(report, next, terminal);
    return exitCodes.clean;
  };
  if (args.graphNode) {
    if (args.name !== undefined || args.replace)
      throw new UsageError(
        "--graph-node has no --name and no --replace. Name the subgraph when you deploy its build, and remove an old deployment with graphman.",
      );
    return withDump(args, terminal, openGraphNode, async ({ database, files, onProgress }) =>
      show(
        await restoreToGraphNode(database, files, { onProgress, signal: terminal.signal }),
        "Deploy its build next, under a name: graphloom subgraph deploy <name>/<version> <build> --graph-node <admin address> --ipfs <address>\n",
      ),
    );
  }
  if (isOnServer(args, terminal)) {
    if (args.name !== undefined || args.replace)
      throw new UsageError(
        "--name and --replace are for a database: pass --database or --data. On a server, the name is given when the build is deployed.",
      );
    return explaining(terminal, async () =>
      show(
        await restoreToServer(args, terminal),
        "Deploy its build next, under a name: graphloom subgraph deploy <name>/<version> <build>\n",
      ),
    );
  }
  const name = args.name === undefined ? undefined : parseProjectName(args.name);
  if (args.name !== undefined && !name)
    throw new UsageError(`--name: ${visible(args.name)} is not a name. Pass <name>, or <name>/<version>.`);
  return withDump(args, terminal, openForDump, async ({ database, files, onProgress }) => {
    const { replace } = args;
    return show(await restoreDump(database, files, { replace, name, onProgress, signal: terminal.signal }));
  });
}

/** Opens a database, and creates it only if the folder has a dump. @throws DumpError, DatabaseError */
async function openForDump(place: string, world: DatabaseWorld, files: DumpFiles): Promise<Database> {
  await judgeDump(files);
  return openOwnDatabase(place, world);
}

function tell(
  { deployment, network, head, tables, isContinued }: RestoreReport,
  next: string,
  terminal: Terminal,
): void {
  for (const { type, rows } of tables) terminal.out(`${visible(type)}: ${count(rows, "row")}\n`);
  const blocks = head === undefined ? "without blocks" : `up to block ${head}`;
  const how = isContinued ? ", after an interruption" : "";
  terminal.out(`Restored ${visible(deployment)} of ${visible(network)}, ${blocks}${how}.\n${next}`);
}
