import type { Sql } from "../../store/database/database.js";
import { Problem } from "../problem.js";
import { findPipeline, type PipelineName, type PipelineRow } from "./pipeline-rows.js";

/** A pipeline of a project. @throws Problem `pipeline-not-found`; DatabaseError */
export async function requirePipeline(
  sql: Sql,
  named: PipelineName,
  how?: { readonly isLocked: boolean },
): Promise<PipelineRow> {
  const found = await findPipeline(sql, named, how);
  if (found) return found;
  throw new Problem("pipeline-not-found", `There is no pipeline "${named.name}".`);
}

/** @throws Problem `conflict` while a change is under way, or something that writes its sinks */
export function requireIdle(row: PipelineRow): void {
  const { name, request, requestedAt } = row;
  requireUnwritten(row);
  if (request === undefined) return;
  throw new Problem(
    "conflict",
    `A change of "${name}" is under way (${request}, since ${requestedAt?.toISOString() ?? "now"}). Wait until it is done, or cancel it: graphloom pipeline cancel-update ${name}`,
  );
}

/** @throws Problem `conflict` while something other than the pipeline writes its sinks */
export function requireUnwritten({ name, task }: PipelineRow): void {
  if (task === undefined || task === "verify") return;
  throw new Problem(
    "conflict",
    `The sinks of "${name}" are being written (${task}). Wait until that is done: its page shows how far it is.`,
  );
}
