import type { FastifyInstance } from "fastify";
import { callerOf } from "../../http/roles.js";
import type { Platform } from "../../platform.js";
import { nameIn, requireEntry } from "../../subgraphs/find-subgraph.js";
import { type PageScope, queryOf } from "../page-scope.js";
import type { ReadHistory } from "./histories.js";
import { historyFile } from "./history-file.js";

/** Serves the history of a version or a tag as figures, for the range in the address. */
export function addHistoryFile(
  app: FastifyInstance,
  { database }: Pick<Platform, "database">,
  { ofBrowser, historyOf }: Pick<PageScope, "ofBrowser"> & { readonly historyOf: ReadHistory },
): void {
  app.get<{ Params: { name: string; version: string } }>(
    "/dashboard/:name/:version/history.json",
    { config: { role: "Viewer", ofBrowser } },
    async (request, reply) => {
      const entry = await requireEntry(database, nameIn(callerOf(request), request.params));
      const history = await historyOf(entry, queryOf(request).get("range"));
      return reply
        .headers({ "x-content-type-options": "nosniff", "cache-control": "no-store" })
        .send(historyFile(history));
    },
  );
}
