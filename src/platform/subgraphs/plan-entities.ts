import type { Operations } from "../../api/contract.js";
import type { Sql } from "../../store/database/database.js";
import { layOut } from "../../store/tables/lay-out.js";
import { manifestPath } from "../../subgraph/build.js";
import { collectBuild } from "../../subgraph/collect-build.js";
import { linkPath } from "../../subgraph/link-path.js";
import { linksOf } from "../../subgraph/manifest/links.js";
import { readEntitySchema } from "../../subgraph/schema/read-entity-schema.js";
import { unzipBundle } from "../../subgraph/unzip-bundle.js";
import { readBundle } from "./builds.js";
import { refusalOf } from "./check-on-engine.js";

/** Entities of a version as the API shows them. */
export type Entities = Operations["listWebhookEntities"]["answer"]["data"]["entities"];

/**
 * The tables that a deployment will have of which nothing was indexed yet, none with a row.
 * @throws Problem `unprocessable` for a schema that cannot be read, which some engines find out late; DatabaseError
 */
export async function plannedEntities(sql: Sql, deployment: string): Promise<Entities> {
  const bundle = await readBundle(sql, deployment);
  if (!bundle) return [];
  try {
    return planEntities(await unzipBundle(bundle));
  } catch (error) {
    throw refusalOf(error);
  }
}

function planEntities(files: ReadonlyMap<string, Uint8Array>): Entities {
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
