import { visible } from "../../base/text/visible.js";
import { parseIpfsHash } from "../../deploy/ipfs/ipfs-hash.js";
import { findInGraphNode, graphNodeSource } from "../../dumps/graph-node/graph-node-source.js";
import { type DumpReport, writeDump } from "../../dumps/write-dump.js";
import { buildsNamed } from "../../platform/subgraphs/named-builds.js";
import type { Database } from "../../store/database/database.js";
import {
  type DatabaseWorld,
  isAddress,
  openExistingDatabase,
  openForeignDatabase,
} from "../../store/open.js";
import { printJson } from "../remote/print-json.js";
import type { RemoteArguments } from "../remote/session.js";
import { parseProjectName } from "../subgraph/project-name.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { dumpFromServer } from "./dump-from-server.js";
import { type DumpArguments, explaining, isOnServer, withDump } from "./with-dump.js";

/** Writes a dump of a subgraph; returns the exit code. @throws UsageError */
export async function dumpSubgraph(
  args: DumpArguments & RemoteArguments & { readonly subgraph: string; readonly graphNode: boolean },
  terminal: Terminal,
): Promise<number> {
  const { subgraph, graphNode, output, folder } = args;
  const show = (report: DumpReport): number => {
    if (output === "json") printJson(report, terminal);
    else tell(report, folder, terminal);
    return exitCodes.clean;
  };
  if (!graphNode && isOnServer(args, terminal))
    return explaining(terminal, async () => show(await dumpFromServer(args, terminal)));
  const open = (place: string, world: DatabaseWorld): Promise<Database> =>
    graphNode ? openGraphNode(place, world) : openExistingDatabase(place, world);
  return withDump(args, terminal, open, async ({ database, files, onProgress }) => {
    const deployment = graphNode
      ? await findInGraphNode(database, subgraph)
      : await deploymentOf(subgraph, database);
    const report = await writeDump(database, files, deployment, {
      onProgress,
      signal: terminal.signal,
      ...(graphNode && { source: graphNodeSource }),
    });
    return show(report);
  });
}

/** Opens the database of a graph-node. @throws UsageError for a folder; DatabaseError */
export async function openGraphNode(place: string, world: DatabaseWorld): Promise<Database> {
  if (isAddress(place)) return openForeignDatabase(place, world);
  throw new UsageError("--graph-node requires an address: --database postgres://user:password@host/name");
}

/** @throws UsageError if the database has no subgraph of this name, or several */
async function deploymentOf(word: string, database: Database): Promise<string> {
  const hash = parseIpfsHash(word);
  if (hash !== undefined) return hash;
  const wanted = parseProjectName(word);
  if (!wanted) throw new UsageError(`There is no subgraph with the name ${visible(word)}.`);
  const found = (await buildsNamed(database, wanted.name)).filter(
    ({ version }) => wanted.version === undefined || version === wanted.version,
  );
  const ids = [...new Set(found.map(({ deployment }) => deployment))];
  const [id] = ids;
  if (id !== undefined && ids.length === 1) return id;
  const rows = found.map(({ version, deployment }) => `  ${deployment} ${visible(version)}`.trimEnd());
  throw new UsageError(
    ids.length === 0
      ? `The database has no subgraph with the name ${visible(word)}.`
      : `The database has several subgraphs with the name ${visible(word)}. Name one by its id:\n${rows.join("\n")}`,
  );
}

function tell({ head, previous, tables }: DumpReport, folder: string, terminal: Terminal): void {
  for (const { type, rows, clamps } of tables) {
    const ended = clamps === 0 ? "" : `, ${count(clamps, "ended version")}`;
    terminal.out(`${visible(type)}: ${count(rows, "row")}${ended}\n`);
  }
  const since = previous === undefined ? "" : ` after block ${previous}`;
  const blocks = head === undefined ? "no blocks" : `all${since} up to block ${head}`;
  terminal.out(`Dumped to ${visible(folder)}: ${blocks}.\n`);
}
