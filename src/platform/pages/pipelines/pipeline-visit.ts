import type { PipelineRow } from "../../pipelines/pipeline-rows.js";
import type { Pipelines } from "../../pipelines/pipelines.js";
import { requirePipeline } from "../../pipelines/require-pipeline.js";
import { Problem } from "../../problem.js";
import { NotHere } from "../not-here.js";
import type { Content, Visit } from "../page-scope.js";
import { pipelinePageOf } from "./pipeline-words.js";

/** The pipeline that a path names. @throws NotHere if the project has none with the name; DatabaseError */
export async function pipelineOf(
  { platform: { database } }: Pipelines,
  { caller: { project }, path: { name = "" } }: Pick<Visit, "caller" | "path">,
): Promise<PipelineRow> {
  try {
    return await requirePipeline(database, { project, name });
  } catch (error) {
    if (!(error instanceof Problem) || error.type !== "pipeline-not-found") throw error;
    throw new NotHere(error.message, [["All pipelines", "/pipelines"]], "pipeline-not-found");
  }
}

/** The title of a page of a pipeline, the way to it, and the script for its times. */
export function titled(
  row: Pick<PipelineRow, "name">,
  part?: string,
): Pick<Content, "title" | "trail" | "scripts"> {
  const list = ["Pipelines", "/pipelines"] as const;
  const scripts = ["times.js"] as const;
  return part === undefined
    ? { title: row.name, trail: [list], scripts }
    : { title: `${row.name} · ${part}`, trail: [list, [row.name, pipelinePageOf(row)] as const], scripts };
}
