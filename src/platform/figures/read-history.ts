import type { Sql } from "../../store/database/database.js";
import { listVersions, type SubgraphVersion } from "../subgraphs/versions.js";
import type { Figure, Mark, Span } from "./figure.js";
import { readFigures, readMarks } from "./figure-rows.js";
import { ownQueriesSince } from "./own-queries.js";
import { type HistoryRange, spanOf } from "./ranges.js";

/** A chart shows at most this many marks of a kind, because those close together become one. */
const mostOfKind = 48;

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

/** The marks within a span, oldest first. Marks of a kind that are close together become one. */
export function gathered(marks: readonly Mark[], { from, to }: Span): readonly Mark[] {
  const found = new Map<string, Mark>();
  const ordered = [...marks].sort((one, other) => one.at - other.at);
  for (const mark of ordered) {
    if (mark.at < from || mark.at >= to) continue;
    const key = `${mark.kind} ${Math.floor(((mark.at - from) / (to - from)) * mostOfKind)}`;
    const there = found.get(key);
    found.set(key, there ? joined(there, mark) : mark);
  }
  return [...found.values()];
}

function joined(one: Mark, next: Mark): Mark {
  const blocks = Math.max(one.blocks ?? 0, next.blocks ?? 0);
  return {
    ...one,
    count: one.count + next.count,
    ...(blocks > 0 && { blocks }),
    ...(next.version !== undefined && { version: next.version }),
  };
}
