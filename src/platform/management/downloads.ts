import type { FastifyInstance, FastifyReply } from "fastify";
import { buildOperations } from "../../api/build-operations.js";
import { FairTurns } from "../../base/turns/fair-turns.js";
import { isCidV0 } from "../../web/ipfs/cid.js";
import { addExtension, type ExtensionAsk } from "../http/add-extension.js";
import { goneOf } from "../http/limits/gone-of.js";
import { callerOf } from "../http/roles.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { downloadLimits, readDeployedFile } from "../subgraphs/downloads/deployed-files.js";
import { packBuild } from "../subgraphs/downloads/pack-build.js";
import { nameIn, requireEntry } from "../subgraphs/find-subgraph.js";
import { findShowing, type SubgraphVersion } from "../subgraphs/versions.js";

/** Adds the routes that answer with builds, and with their files. */
export function downloads(app: FastifyInstance, platform: Platform): void {
  const turns = new FairTurns(downloadLimits);
  const { database } = platform;
  const { getSubgraphBuild, getDeploymentBuild, getDeployedFile } = buildOperations;
  const inTurn = <Result>({ request }: ExtensionAsk, work: () => Promise<Result>): Promise<Result> =>
    turns.run(
      callerOf(request).project,
      async () => {
        platform.memory?.require();
        return work();
      },
      goneOf(request),
    );
  const sendBuild = async (ask: ExtensionAsk, entry: SubgraphVersion): Promise<Buffer> => {
    const zip = await inTurn(ask, () => packBuild(database, entry));
    asFile(ask.reply, "application/zip", `${entry.deployment}.zip`);
    return zip;
  };

  addExtension(app, getSubgraphBuild, { role: "Viewer" }, async (ask) => {
    const { name = "", version = "" } = ask.path;
    return sendBuild(ask, await requireEntry(database, nameIn(callerOf(ask.request), { name, version })));
  });
  addExtension(app, getDeploymentBuild, { role: "Viewer" }, async (ask) => {
    const { deployment = "" } = ask.path;
    const caller = callerOf(ask.request);
    const entry = isCidV0(deployment) ? await findShowing(database, caller.project, deployment) : undefined;
    if (!entry) throw new Problem("subgraph-not-found", `This project has no deployment "${deployment}".`);
    return sendBuild(ask, entry);
  });
  addExtension(app, getDeployedFile, { role: "Viewer" }, async (ask) => {
    const { cid = "" } = ask.path;
    const caller = callerOf(ask.request);
    const bytes = await inTurn(ask, () => readDeployedFile(database, caller.project, cid));
    if (!bytes) throw new Problem("not-found", `No deployment of this project has a file "${cid}".`);
    asFile(ask.reply, "application/octet-stream", cid);
    return Buffer.from(bytes);
  });
}

/** @param name without quotes and control characters */
function asFile(reply: FastifyReply, media: string, name: string): void {
  void reply
    .type(media)
    .header("content-disposition", `attachment; filename="${name}"`)
    .header("x-content-type-options", "nosniff");
}
