import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { goneOf } from "../../http/limits/gone-of.js";
import { callerOf } from "../../http/roles.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import { nameIn, requireEntry } from "../../subgraphs/find-subgraph.js";
import { type PageScope, queryOf } from "../page-scope.js";
import { readBrowseState } from "./browse-state.js";
import { openTable } from "./entity-routes.js";
import { exportedLength, rowsAsCsv, rowsAsJson } from "./export-rows.js";
import { readRows } from "./read-rows.js";

interface Params {
  readonly name: string;
  readonly version: string;
  readonly entity: string;
}

const formats = {
  csv: { type: "text/csv; charset=utf-8", write: rowsAsCsv },
  json: { type: "application/json; charset=utf-8", write: rowsAsJson },
} as const;

/** Adds the rows of a page of entities as files, in the same order and with the same filters as the page. */
export function addEntityExports(
  app: FastifyInstance,
  platform: Platform,
  { ofBrowser }: Pick<PageScope, "ofBrowser">,
): void {
  for (const [ending, { type, write }] of Object.entries(formats)) {
    app.get<{ Params: Params }>(
      `/dashboard/:name/:version/data/:entity/rows.${ending}`,
      { config: { role: "Viewer", isLinked: true, ofBrowser } },
      async (request: FastifyRequest<{ Params: Params }>, reply: FastifyReply) => {
        const { params } = request;
        const entry = await requireEntry(platform.database, nameIn(callerOf(request), params));
        const { storage, table } = await openTable(platform, entry, params.entity);
        const state = readBrowseState(queryOf(request));
        const reader = { project: entry.project, gone: goneOf(request) };
        const { page, mistakes } = await readRows(reader, storage, table, state, exportedLength);
        if (mistakes.length > 0) throw new Problem("unprocessable", mistakes.join(" "));
        const text = write(
          table.columns,
          page.rows.map(({ values }) => values),
        );
        return reply
          .headers({
            "content-disposition": `attachment; filename="${table.name}.${ending}"`,
            "x-content-type-options": "nosniff",
            "cache-control": "no-store",
          })
          .type(type)
          .send(text);
      },
    );
  }
}
