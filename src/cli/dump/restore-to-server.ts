import { resolve } from "node:path";
import { visible } from "../../base/text/visible.js";
import type { RestoreReport } from "../../dumps/restore-dump.js";
import { type RestoreServer, sendRestore } from "../../dumps/send-restore.js";
import { openDumpFiles } from "../../machine/files/dump-files.js";
import { createNodeWorld } from "../../machine/world.js";
import { openSession, type RemoteArguments, type Session } from "../remote/session.js";
import { StatusLine } from "../terminal/status-line.js";
import type { Terminal } from "../terminal/terminal.js";
import { patient } from "./patient.js";

/**
 * Restores a dump on a server.
 * @returns what was restored
 * @throws UsageError, DumpError, ApiProblem, HttpError
 */
export async function restoreToServer(
  args: RemoteArguments & { readonly folder: string },
  terminal: Terminal,
): Promise<RestoreReport> {
  const { api } = await openSession(args, terminal);
  const line = new StatusLine(terminal, () => performance.now());
  const say = (text: string): void => {
    line.end();
    terminal.err(`${visible(text)}\n`);
  };
  const world = createNodeWorld(terminal.signal);
  try {
    return await sendRestore(
      openDumpFiles(resolve(terminal.cwd, args.folder)),
      { ...serverOf(api), mayPass: patient(world, say) },
      {
        onProgress: (table, rows) => line.show(() => `${table}: ${rows} rows`),
        onCompleting: () => line.show(() => "counting rows and creating indexes"),
      },
    );
  } finally {
    line.end();
  }
}

function serverOf(api: Session["api"]): Omit<RestoreServer, "mayPass"> {
  return {
    async begin(dump) {
      const { deployment, network, continued, tables } = await api.beginRestore(dump);
      return {
        deployment,
        network,
        isContinued: continued,
        tables: tables.map(({ name, last_vid }) => ({ name, lastVid: BigInt(last_vid) })),
      };
    },
    add: (deployment, { table, form, isFirst, rows, minVid, maxVid, bytes }) =>
      api.addRestoreRows(
        deployment,
        {
          table,
          form,
          first: isFirst ? 1 : 0,
          rows,
          min_vid: String(minVid),
          max_vid: String(maxVid),
        },
        bytes,
      ),
    complete: async (deployment) => (await api.completeRestore(deployment)) === "done",
  };
}
