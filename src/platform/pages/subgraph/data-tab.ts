import { html } from "../../http/html.js";
import { goneOf } from "../../http/limits/gone-of.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import { engineOf } from "../../subgraphs/find-subgraph.js";
import { askEngine } from "../../subgraphs/read-statuses.js";
import { openEntities } from "../../subgraphs/read-subgraphs.js";
import {
  entityContent,
  findImplementer,
  newestTable,
  openTable,
  rowsContent,
} from "../entities/entity-routes.js";
import { createReadWriters } from "../entities/history-facts.js";
import type { ReadTypeCounts } from "../entities/type-list.js";
import { typeOf } from "../entity-names.js";
import type { TabScope } from "./tab-scope.js";

/** Adds the tab with the entities of a version or a tag, a page for each type, and one for each entity with its history. */
export function addDataTab(tabs: TabScope, platform: Platform, countsOf: ReadTypeCounts): void {
  const readWriters = createReadWriters(platform);

  tabs.get("data", "", async ({ entry, base, query, request }) => {
    const engine = engineOf(platform.hosting, entry.engine);
    if (engine?.storageless !== undefined) {
      return { body: html`<p>The entities of ${entry.name}/${entry.version} ${engine.storageless}.</p>` };
    }
    const storage = await askEngine(engine, "storage", request.log, (one) => one.storage(entry.deployment));
    const table = storage && (await newestTable(storage));
    if (!storage || !table) return { body: html`<p class="soft">There are no entities yet.</p>` };
    const visit = { entry, storage, gone: goneOf(request), base, query };
    const { body, isNewest } = await rowsContent(visit, table, await countsOf(entry.project, storage));
    return { body, isLive: isNewest };
  });

  tabs.get("data", "/:entity", async ({ entry, base, path, query, request }) => {
    const { storage, table } = await openTable(platform, entry, path.entity);
    const visit = { entry, storage, gone: goneOf(request), base, query };
    const { body, isNewest } = await rowsContent(visit, table, await countsOf(entry.project, storage));
    return { part: typeOf(table), body, isLive: isNewest };
  });

  tabs.get("data", "/:entity/entity", async ({ entry, base, path, query, request }) => {
    const storage = await openEntities(platform, entry);
    const gone = goneOf(request);
    const name = path.entity ?? "";
    if (storage && !storage.layout.tables.some((table) => table.name === name)) {
      const address = await findImplementer({ entry, storage, gone, base, query }, name);
      if (address !== undefined) return address;
      throw new Problem("not-found", `There is no ${name.slice(0, 200)} with this id.`);
    }
    const opened = await openTable(platform, entry, name);
    const { body, isNewest } = await entityContent(
      readWriters,
      { entry, storage: opened.storage, gone, base, query },
      opened.table,
    );
    const part = `${typeOf(opened.table)} ${(query.get("id") ?? "").slice(0, 80)}`;
    return { part, body, isLive: isNewest && !query.has("whole") };
  });

  // The address of these pages before there were tabs.
  tabs.get("overview", "/entities/:entity", async ({ request }) =>
    request.url.replace(/^(\/dashboard\/[^/]+\/[^/]+)\/entities\//, "$1/data/"),
  );
}
