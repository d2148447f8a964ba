import { resolve } from "node:path";
import { ApiProblem } from "../../api/answers/problem.js";
import { visible } from "../../base/text/visible.js";
import { DumpReplacedError } from "../../dumps/dump-error.js";
import type { DumpPosition } from "../../dumps/dump-parts.js";
import { type DumpServer, receiveDump } from "../../dumps/receive-dump.js";
import type { DumpReport } from "../../dumps/write-dump.js";
import { openDumpFiles } from "../../machine/files/dump-files.js";
import { createNodeWorld } from "../../machine/world.js";
import { openSession, type RemoteArguments, type Session } from "../remote/session.js";
import { subgraphVersion } from "../subgraph/subgraph-version.js";
import { StatusLine } from "../terminal/status-line.js";
import type { Terminal } from "../terminal/terminal.js";
import { patient } from "./patient.js";

/**
 * Writes a dump of a version on a server to a folder.
 * @param args.subgraph `<name>/<version>`
 * @returns what was added
 * @throws UsageError, ApiProblem, HttpError
 */
export async function dumpFromServer(
  args: RemoteArguments & { readonly subgraph: string; readonly folder: string },
  terminal: Terminal,
): Promise<DumpReport> {
  const named = subgraphVersion(args.subgraph);
  const { api } = await openSession(args, terminal);
  const line = new StatusLine(terminal, () => performance.now());
  const say = (text: string): void => {
    line.end();
    terminal.err(`${visible(text)}\n`);
  };
  try {
    return await receiveDump(
      openDumpFiles(resolve(terminal.cwd, args.folder)),
      serverOf(api, named, terminal, say),
      {
        onProgress: (table, rows) => line.show(() => `${table}: ${rows} rows`),
        onVerified: (table, rows) => line.show(() => `verifying ${table}: ${rows} rows`),
        onRestart: () => say("The chain has replaced blocks of the interrupted dump, so it starts over."),
      },
    );
  } finally {
    line.end();
  }
}

function serverOf(
  api: Session["api"],
  { name, version }: { readonly name: string; readonly version: string },
  terminal: Terminal,
  say: (text: string) => void,
): DumpServer {
  const world = createNodeWorld(terminal.signal);
  return {
    async *ask(position) {
      try {
        yield* api.dump(name, version, sentPosition(position));
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 409)
          throw new DumpReplacedError(error.detail ?? error.message);
        throw error;
      }
    },
    mayPass: patient(world, say),
  };
}

function sentPosition({ deployment, head, tables }: DumpPosition) {
  return {
    deployment,
    head,
    tables: [...tables].map(([name, { maxVid, asOf }]) => ({ name, max_vid: String(maxVid), as_of: asOf })),
  };
}
