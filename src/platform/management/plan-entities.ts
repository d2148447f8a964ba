import type { Operations } from "../../api/contract.js";
import { manifestPath } from "../../subgraph/build.js";
import { collectBuild } from "../../subgraph/collect-build.js";
import { linkPath } from "../../subgraph/link-path.js";
import { linksOf } from "../../subgraph/manifest/links.js";
import { readEntitySchema } from "../../subgraph/schema/read-entity-schema.js";
import { layOut } from "../tables/lay-out.js";

/** Entities of a version as the API shows them. */
export type Entities = Operations["listWebhookEntities"]["answer"]["data"]["entities"];

/**
 * The tables that a build will have, none with a row.
 * @throws BundleError, SchemaError
 */
export function planEntities(files: ReadonlyMap<string, Uint8Array>): Entities {
  const build = collectBuild({ manifest: manifestPath, files });
  const link = linksOf(build.manifest).find(({ role }) => role.kind === "schema");
  const schema = link && build.files.get(linkPath(link, manifestPath));
  const { tables } = layOut(readEntitySchema(new TextDecoder().decode(schema)), "planned");
  return tables.map(({ name, columns, immutable }) => ({
    name,
    rows: "0",
    columns: [
      { name: "vid", data_type: "bigint" },
      immutable ? { name: "block$", data_type: "integer" } : { name: "block_range", data_type: "int4range" },
      ...columns.map((column) => ({
        name: column.name,
        data_type: `${column.sqlType.replace(/^"planned"\./, "")}${column.list ? "[]" : ""}`,
      })),
    ],
  }));
}
