import type { EntityTable } from "../../../store/tables/layout.js";
import { rowsAt } from "../../../store/tables/table-facts.js";
import { type Html, html } from "../../http/html.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import { engineOf } from "../../subgraphs/find-subgraph.js";
import { askEngine } from "../../subgraphs/read-statuses.js";
import { openEntities } from "../../subgraphs/read-subgraphs.js";
import { createEntityCounts, type EntityCounts } from "../entity-counts.js";
import { typeOf } from "../entity-names.js";
import { entityPage } from "../entity-page.js";
import { digits, wideTable } from "../parts.js";
import type { TabScope } from "./tab-scope.js";

const pageRows = 50;

/** Adds the tab with the entity types of a version or a tag, and a page for each of them. */
export function addDataTab(tabs: TabScope, platform: Platform): void {
  const countsOf = createEntityCounts(platform.world);

  tabs.get("data", "", async ({ entry, base, request }) => {
    const engine = engineOf(platform.hosting, entry.engine);
    const storage = await askEngine(engine, "storage", request.log, (one) => one.storage(entry.deployment));
    if (!storage) return { body: html`<p class="soft">There are no entities yet.</p>` };
    const body = typeList(base, storage.layout.tables, await countsOf(storage));
    return { body, isLive: true };
  });

  tabs.get("data", "/:entity", async ({ entry, path, query }) => {
    const storage = await openEntities(platform, entry);
    const table = storage?.layout.tables.find(({ name }) => name === path.entity);
    if (!storage || !table)
      throw new Problem(
        "not-found",
        "The subgraph has no such entity type, or it has not indexed a block yet.",
      );
    const block = storage.deployment.head?.number;
    const after = /^\d{1,19}$/.test(query.get("after") ?? "") ? BigInt(query.get("after") ?? 0) : -1n;
    const rows =
      block === undefined
        ? []
        : await rowsAt(storage.database, storage.layout, table, {
            deployment: storage.isForeign ? undefined : storage.deployment.id,
            block,
            after,
            limit: pageRows,
          });
    const body = entityPage({
      table,
      count: (await countsOf(storage))?.get(table.name),
      ...(block !== undefined && { block }),
      rows,
      ...(rows.length === pageRows && { next: `?after=${String(rows.at(-1)?.vid)}` }),
    });
    return { part: typeOf(table), body };
  });

  // The address of these pages before there were tabs.
  tabs.get("overview", "/entities/:entity", async ({ request }) =>
    request.url.replace("/entities/", "/data/"),
  );
}

function typeList(base: string, tables: readonly EntityTable[], counts: EntityCounts | undefined): Html {
  const head = [
    html`<th scope="col">Entity</th>`,
    html`<th scope="col" class="number">Count</th>`,
    html`<th scope="col">Fields</th>`,
  ];
  const rows = tables.map((table) => {
    const count = counts?.get(table.name);
    return html`<tr id="entity-${table.name}">
<td><a href="${base}/data/${encodeURIComponent(table.name)}">${typeOf(table)}</a></td>
<td class="number">${count === undefined ? "…" : digits(count)}</td>
<td class="small soft">${table.columns.map(({ field }) => field).join(", ")}</td></tr>`;
  });
  return wideTable(head, rows, "Entities");
}
