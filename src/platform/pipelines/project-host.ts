import type { PipelineHost } from "../../pipelines/host/pipeline-engine.js";
import type { Platform } from "../platform.js";
import { openSecret } from "../secrets/secrets.js";
import { buildsOf, isPausedBuild, showsBuild, subgraphNamesOf } from "../subgraphs/named-builds.js";

/** The questions that pipelines of a project may ask, about that project only. */
export function hostOf(
  { database, secretKey }: Pick<Platform, "database" | "secretKey">,
  project: string,
): PipelineHost {
  return {
    project,
    secret: (name) => openSecret(database, { project, name }, secretKey),
    builds: (name) => buildsOf(database, project, name),
    subgraphs: () => subgraphNamesOf(database, project),
    shows: (deployment) => showsBuild(database, project, deployment),
    isPaused: (deployment) => isPausedBuild(database, deployment),
  };
}

/** The name under which the sinks of a pipeline keep their positions. It is unique across projects. */
export function pipelineIdOf({ project, name }: { readonly project: string; readonly name: string }): string {
  return `${project}/${name}`;
}
