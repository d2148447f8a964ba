import type { Sql } from "../../store/database/database.js";
import { Problem } from "../problem.js";
import { keepEntry, keepShown } from "../subgraphs/versions.js";
import type { PipelineName } from "./pipeline-rows.js";

/**
 * Keeps the subgraphs that a pipeline reads from being deleted until the transaction ends.
 * @param subgraphs without a version, the name is a deployment id
 * @throws Problem `conflict` if one was deleted since the definition was checked; DatabaseError
 */
export async function keepRead(
  sql: Sql,
  { project }: PipelineName,
  subgraphs: readonly { readonly name: string; readonly version: string | undefined }[],
): Promise<void> {
  for (const { name, version } of subgraphs) {
    const isKept = await (version === undefined
      ? keepShown(sql, project, name)
      : keepEntry(sql, { project, name, version }));
    if (isKept) continue;
    const shown = version === undefined ? name : `${name}/${version}`;
    throw new Problem("conflict", `The subgraph "${shown}" was just deleted, which the pipeline reads.`);
  }
}
