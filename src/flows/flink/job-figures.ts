import { isRecord, parseJson } from "../../base/json-value.js";

/** What a job has done since Flink started it, as its job manager counts it. */
export interface JobFigures {
  /** Rows that have come to each sink, by `metricName` of its name. */
  readonly rows: ReadonlyMap<string, number>;
  /** Records of the topics that the job has not read yet; `undefined` if that is not known. */
  readonly waiting: number | undefined;
}

/** Sums of metrics by their names. */
export type MetricSums = ReadonlyMap<string, number>;

/** Names of a job's tasks and metrics that are read at most. */
const most = 200;

/** A name as it is in names of metrics, which have few characters. */
export function metricName(name: string): string {
  return name.replaceAll(/\W/g, "_");
}

/** The ids of a job's tasks, in an answer of its job manager. */
export function verticesIn(body: Uint8Array): readonly string[] {
  const answer = parseJson(Buffer.from(body).toString());
  const vertices = isRecord(answer) && Array.isArray(answer.vertices) ? answer.vertices : [];
  return vertices
    .flatMap((vertex: unknown) => (isRecord(vertex) && typeof vertex.id === "string" ? [vertex.id] : []))
    .filter((id) => /^[0-9a-f]{32}$/.test(id))
    .slice(0, most);
}

/** The names of the metrics of a task that say something about its sources and sinks. */
export function metricsIn(body: Uint8Array): readonly string[] {
  return entriesIn(body)
    .flatMap(({ id }) => (typeof id === "string" && (rowsMetric.test(id) || lagMetric.test(id)) ? [id] : []))
    .slice(0, most);
}

/** The sums of a task's metrics over all of its parts. */
export function sumsIn(body: Uint8Array): MetricSums {
  return new Map(
    entriesIn(body).flatMap(({ id, sum }) =>
      typeof id === "string" && typeof sum === "number" && Number.isFinite(sum) ? [[id, sum] as const] : [],
    ),
  );
}

/** `Sink__kept[12].numRecordsIn`, and `kept[12]__Writer.numRecordsIn` */
const rowsMetric = /^(?:Sink__(.+?)|(.+?)_?\[\d+\]_+Writer)\.numRecordsIn$/;
const lagMetric = /^Source__.*\.pendingRecords$/;

/** What the metrics of all tasks of a job mean. */
export function figuresOf(tasks: readonly MetricSums[]): JobFigures {
  const rows = new Map<string, number>();
  let waiting: number | undefined;
  for (const [id, sum] of tasks.flatMap((sums) => [...sums])) {
    const [, named, written] = rowsMetric.exec(id) ?? [];
    const name = metricName((named ?? written ?? "").replace(/_?\[?\d+\]?_?$/, ""));
    if (name !== "") rows.set(name, (rows.get(name) ?? 0) + sum);
    else if (lagMetric.test(id)) waiting = (waiting ?? 0) + sum;
  }
  return { rows, waiting };
}

function entriesIn(body: Uint8Array): readonly Readonly<Record<string, unknown>>[] {
  const answer = parseJson(Buffer.from(body).toString());
  return Array.isArray(answer) ? answer.filter(isRecord) : [];
}
