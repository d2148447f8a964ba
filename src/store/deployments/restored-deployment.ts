import { cell } from "../database/columns.js";
import { SQL, type Sql } from "../database/database.js";
import { arrayText } from "../database/sql-array.js";
import { isTaken, type ManifestFacts, type NewDeployment } from "./deployments.js";

/** A deployment whose tables are filled. */
export interface RestoredDeployment
  extends Pick<NewDeployment, "deployment" | "network" | "schema" | "startBlock"> {
  /** The number that was reserved for it. */
  readonly id: number;
  readonly fileTypes: readonly string[];
  readonly sourceNames: readonly string[] | undefined;
  readonly historyBlocks: number | undefined;
  readonly proofVariant: NewDeployment["proofVariant"] | undefined;
  readonly manifest: ManifestFacts;
  readonly earliestBlock: number;
  /** The last block whose writes are complete. */
  readonly head: { readonly number: number; readonly hash: string } | undefined;
  readonly graft: { readonly base: string; readonly block: number } | undefined;
}

/**
 * A number for a deployment that is not there yet. Its schema `sgd<number>` does not exist.
 * @param catalog the table of deployments, whose column `id` is numbered
 * @throws DatabaseError
 */
export async function reserveNumber(
  sql: Sql,
  catalog: "graphloom.deployments" | "public.deployment_schemas",
): Promise<number> {
  for (;;) {
    const [row] = await sql.query(SQL`select nextval(pg_get_serial_sequence($1::text, 'id')) as id`, [
      catalog,
    ]);
    const id = Number(cell(row ?? {}, "id"));
    if (!(await isTaken(sql, `sgd${id}`))) return id;
  }
}

/** Adds a deployment that is complete. @throws DatabaseError */
export async function addRestored(sql: Sql, restored: RestoredDeployment): Promise<void> {
  const { id, sourceNames, historyBlocks, head, graft } = restored;
  await sql.query(
    SQL`insert into graphloom.deployments (id, deployment, network, schema, start_block, earliest_block, file_types,
        source_names, history_blocks, proof_variant, manifest, head_number, head_hash, counted_after, graft_base,
        graft_block)
      overriding system value values ($1::integer, $2::text, $3::text, $4::text, $5::integer, $6::integer, $7::text[],
        $8::text[], $9::integer, $10::text, $11::jsonb, $12::integer, $13::text, $12::integer, $14::text, $15::integer)`,
    [
      String(id),
      restored.deployment,
      restored.network,
      restored.schema,
      String(restored.startBlock),
      String(restored.earliestBlock),
      arrayText(restored.fileTypes),
      sourceNames ? arrayText(sourceNames) : null,
      historyBlocks === undefined ? null : String(historyBlocks),
      restored.proofVariant ?? null,
      JSON.stringify(restored.manifest),
      head ? String(head.number) : null,
      head?.hash ?? null,
      graft?.base ?? null,
      graft ? String(graft.block) : null,
    ],
  );
  if (!head) return;
  await sql.query(
    SQL`insert into graphloom.recent_blocks (deployment, number, hash) values ($1::integer, $2::integer, $3::text)`,
    [String(id), String(head.number), head.hash],
  );
}
