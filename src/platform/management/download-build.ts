import type { FastifyInstance } from "fastify";
import { buildOperations } from "../../api/build-operations.js";
import { FairTurns } from "../../base/fair-turns.js";
import { addExtension } from "../http/add-extension.js";
import { goneOf } from "../http/gone-of.js";
import { callerOf } from "../http/roles.js";
import type { Platform } from "../platform.js";
import { nameIn, requireEntry } from "../subgraphs/find-subgraph.js";
import { packBuild } from "../subgraphs/pack-build.js";

/** A build is unpacked in memory, as much as 100 MB. Projects take turns. */
const downloadLimits = {
  ...{ atOnce: 2, atOnceOfOne: 1, waitingOfOne: 20 },
  refusal: "This project has 20 downloads of builds waiting already. Wait for them, then try again.",
};

/** Adds the route that answers with the build of a version. */
export function downloading(app: FastifyInstance, platform: Platform): void {
  const turns = new FairTurns(downloadLimits);
  const { database } = platform;
  addExtension(app, buildOperations.getSubgraphBuild, { role: "Viewer" }, async (ask) => {
    const { name = "", version = "" } = ask.path;
    const caller = callerOf(ask.request);
    const entry = await requireEntry(database, nameIn(caller, { name, version }));
    const pack = async (): Promise<Buffer> => {
      platform.memory?.require();
      return packBuild(database, entry);
    };
    const zip = await turns.run(caller.project, pack, goneOf(ask.request));
    void ask.reply
      .type("application/zip")
      .header("content-disposition", `attachment; filename="${entry.deployment}.zip"`)
      .header("x-content-type-options", "nosniff");
    return zip;
  });
}
