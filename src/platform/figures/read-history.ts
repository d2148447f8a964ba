import type { Sql } from "../../store/database/database.js";
import { listVersions, type SubgraphVersion } from "../subgraphs/versions.js";
import type { Figure, Mark, Span } from "./figure.js";
import { readFigures, readMarks } from "./figure-rows.js";
import { gathered } from "./marks.js";
import { ownQueriesSince } from "./own-queries.js";
import { type HistoryRange, spanOf } from "./ranges.js";

/** The measurements and events of a deployment in a span of time. */
export interface History {
  readonly range: HistoryRange;
  readonly span: Span;
  /** Oldest first. A column without figures was not measured. */
  readonly figures: readonly Figure[];
  /**
   * The time from which the queries come from the project alone, in milliseconds since 1970. Absent while others have
   * the build.
   */
  readonly queriesSince?: number | undefined;
  /** Oldest first. */
  readonly marks: readonly Mark[];
}

/** How many versions of a name to check for deploys. */
const mostVersions = 1_000;

/**
 * Reads the history of a version or a tag: its figures, and marks for the deploys of its name, failures, reorganisations
 * and restarts.
 * @param now milliseconds since 1970
 * @throws DatabaseError
 */
export async function readHistory(
  sql: Sql,
  { project, name, deployment }: Pick<SubgraphVersion, "project" | "name" | "deployment">,
  range: HistoryRange,
  now: number,
): Promise<History> {
  const span = spanOf(range, now);
  const figures = await readFigures(sql, deployment, span);
  const marks = await readMarks(sql, deployment, span);
  const versions = await listVersions(sql, project, { name, limit: mostVersions });
  const deploys = versions.flatMap(({ target, version, createdAt }): readonly Mark[] =>
    target === undefined ? [{ kind: "deploy", at: createdAt.getTime(), count: 1, version }] : [],
  );
  const since = await ownQueriesSince(sql, project, deployment);
  return {
    range,
    span,
    figures,
    queriesSince: since.get(deployment),
    marks: gathered([...marks, ...deploys], span),
  };
}
