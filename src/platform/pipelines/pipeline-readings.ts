import type { NodeStatus, SinkStatus } from "../../pipelines/host/pipeline-engine.js";
import {
  columns,
  computed,
  integer,
  nullable,
  oneOf,
  type RowOf,
  text,
} from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";
import { pipelineStatuses, runtimeStatuses } from "./pipeline-rows.js";

const readingRow = columns(
  {
    project: text,
    name: text,
    status: oneOf(pipelineStatuses),
    runtime: oneOf(runtimeStatuses),
    sinks: computed(SQL`p.sinks::text`, {
      parse: (given: string) => JSON.parse(given) as Readonly<Record<string, SinkStatus>>,
    }),
    nodes: computed(SQL`p.nodes::text`, {
      parse: (given: string) => JSON.parse(given) as Readonly<Record<string, NodeStatus>>,
    }),
    /** Bytes of its process, if a server runs it. */
    memory: computed(SQL`case when p.held_until >= now() then p.memory end`, nullable(integer)),
    /** How often a process was started for it. */
    starts: integer,
  },
  "p",
);

/** The metrics' facts about a pipeline. */
export type PipelineReading = RowOf<typeof readingRow>;

/** Reads the pipelines of a project, or of all projects, for metrics. @throws DatabaseError */
export async function readPipelines(sql: Sql, project?: string): Promise<readonly PipelineReading[]> {
  const rows = await sql.query(
    SQL`select ${readingRow.list} from graphloom.pipelines p where $1::text is null or project = $1::text
      order by project, name`,
    [project ?? null],
  );
  return rows.map(readingRow.read);
}
