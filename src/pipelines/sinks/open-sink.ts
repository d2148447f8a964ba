import type { availableSinks, SinkType } from "../definition/shapes.js";
import type { PlannedSink } from "../plan/pipeline-plan.js";
import type { OpenSink, PlannedSinkOf, SinkOwner, SinkWorld } from "./opening.js";
import { type Sink, SinkError } from "./sink.js";

/** How sinks are opened, by type. Each is loaded when it is needed. */
const openers: { readonly [T in (typeof availableSinks)[number]]: () => Promise<OpenSink<T>> } = {
  print: async () => (await import("./print/open-print.js")).openPrint,
  blackhole: async () => (await import("./print/open-print.js")).openBlackhole,
  file: async () => (await import("./file/open-file.js")).openFile,
  clickhouse: async () => (await import("./clickhouse/open-clickhouse.js")).openClickHouseTable,
  s3_sink: async () => (await import("./s3/open-s3.js")).openS3,
  kafka: async () => (await import("./kafka/open-kafka.js")).openKafka,
  postgres: async () => (await import("./postgres/open-postgres.js")).openPostgres,
  mysql_sink: async () => (await import("./mysql/open-mysql.js")).openMysql,
  elasticsearch: async () => (await import("./elasticsearch/open-elasticsearch.js")).openElasticsearch,
  sqs_sink: async () => (await import("./sqs/open-sqs.js")).openSqs,
  postgres_aggregate: async () =>
    (await import("./postgres-aggregate/open-postgres-aggregate.js")).openPostgresAggregate,
  webhook: async () => (await import("./webhook/open-webhook.js")).openWebhook,
};

/**
 * Opens a sink.
 * @throws SinkError
 */
export async function openSink(planned: PlannedSink, owner: SinkOwner, world: SinkWorld): Promise<Sink> {
  const { type } = planned.definition;
  if (!isAvailable(type))
    throw new SinkError(`This version cannot write a sink of type ${planned.definition.type}.`, false);
  const open = (await openers[type]()) as OpenSink<SinkType>;
  return open(planned as PlannedSinkOf<SinkType>, owner, world);
}

function isAvailable(type: SinkType): type is keyof typeof openers {
  return Object.hasOwn(openers, type);
}
