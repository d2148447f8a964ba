import { isRecord, parseJson } from "../../../base/text/json-value.js";

/** A job's figures since Flink started it, as counted by its job manager. */
export interface JobFigures {
  /** Rows that have arrived at each sink, by `metricName` of its name. */
  readonly rows: ReadonlyMap<string, number>;
  /** Records in the topics that the job has not read yet; `undefined` if unknown. */
  readonly waiting: number | undefined;
}

/** A metric over all parts of a task. */
export interface Metric {
  readonly sum: number;
  readonly min: number;
}

/** The metrics of a task by their names. */
export type Metrics = ReadonlyMap<string, Metric>;

/** Names of a job's tasks and metrics that are read at most, and the most characters of a metric's name. */
const most = 200;
const longestName = 500;

/** A name in the form of metric names, which allow few characters. */
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
    .flatMap(({ id }) =>
      typeof id === "string" && id.length <= longestName && wanted.some((metric) => metric.test(id))
        ? [id]
        : [],
    )
    .slice(0, most);
}

/** The aggregates of a task's metrics that are requested over all of its parts. */
export const aggregations = "sum,min";

/** A task's metrics, in an answer of its job manager. */
export function valuesIn(body: Uint8Array): Metrics {
  return new Map(
    entriesIn(body).flatMap(({ id, sum, min }) =>
      typeof id === "string" && isFiniteNumber(sum) && isFiniteNumber(min)
        ? [[id, { sum, min }] as const]
        : [],
    ),
  );
}

/** `Sink__kept[12].numRecordsIn`, and `kept[12]__Writer.numRecordsIn` */
const rowsMetric = /^(?:Sink__(.+?)|(.+?)_?\[\d+\]_+Writer)\.numRecordsIn$/;
const lagMetric = /^(Source__.*)\.pendingRecords$/;
/** Milliseconds for which a source has had no record to deliver. */
const idleMetric = /^(Source__.*)\.sourceIdleTime$/;
const wanted = [rowsMetric, lagMetric, idleMetric];

/**
 * Milliseconds after which a source that has not read anything yet counts as idle. Kafka's connector counts waiting
 * records only from the first one that it reads. A job that continues at a savepoint may wait days for it.
 */
const idleLongEnough = 5_000;

/** Computes the figures from the metrics of a job's tasks. */
export function figuresOf(tasks: readonly Metrics[]): JobFigures {
  const rows = new Map<string, number>();
  /** By source. */
  const waiting = new Map<string, number | undefined>();
  for (const [id, { sum, min }] of tasks.flatMap((metrics) => [...metrics])) {
    const [, named, written] = rowsMetric.exec(id) ?? [];
    const name = metricName((named ?? written ?? "").replace(/_?\[?\d+\]?_?$/, ""));
    const [, behind] = lagMetric.exec(id) ?? [];
    const [, idle] = idleMetric.exec(id) ?? [];
    if (name !== "") rows.set(name, (rows.get(name) ?? 0) + sum);
    else if (behind !== undefined) waiting.set(behind, sum);
    else if (idle !== undefined)
      waiting.set(idle, waiting.get(idle) ?? (min >= idleLongEnough ? 0 : undefined));
  }
  const counts = [...waiting.values()];
  const isKnown = counts.length > 0 && counts.every((count) => count !== undefined);
  return { rows, waiting: isKnown ? counts.reduce((sum, count) => sum + count, 0) : undefined };
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function entriesIn(body: Uint8Array): readonly Readonly<Record<string, unknown>>[] {
  const answer = parseJson(Buffer.from(body).toString());
  return Array.isArray(answer) ? answer.filter(isRecord) : [];
}
