import type { SinkType } from "../definition/shapes.js";
import type { PlannedSink } from "../plan/pipeline-plan.js";
import type { PlannedSinkOf, ResetSink, SinkOwner, SinkWorld } from "./opening.js";
import { SinkError } from "./sink.js";

/** How sinks are emptied, by type. Each is loaded when it is needed; what is missing cannot be emptied. */
const resetters: { readonly [T in SinkType]?: () => Promise<ResetSink<T>> } = {
  postgres: async () => (await import("./postgres/reset-postgres.js")).resetPostgres,
  postgres_aggregate: async () => (await import("./postgres-aggregate/reset-aggregate.js")).resetAggregate,
  mysql_sink: async () => (await import("./mysql/reset-mysql.js")).resetMysql,
  clickhouse: async () => (await import("./clickhouse/reset-clickhouse.js")).resetClickHouse,
  webhook: async () => (await import("./webhook/open-webhook.js")).resetWebhook,
  sqs_sink: async () => (await import("./sqs/open-sqs.js")).resetSqs,
  elasticsearch: async () => (await import("./elasticsearch/open-elasticsearch.js")).resetElasticsearch,
};

/**
 * Empties a sink, as far as it can be emptied, while no process writes it, and forgets how far its sources
 * were written.
 * @param recreates whether tables that it has made are dropped, so that they are made again
 * @throws SinkError
 */
export async function emptySink(
  planned: PlannedSink,
  owner: SinkOwner,
  world: SinkWorld,
  recreates: boolean,
): Promise<void> {
  const { type } = planned.definition;
  const reset = (await resetters[type]?.()) as ResetSink<SinkType> | undefined;
  if (!reset) throw new SinkError(`A sink of type ${type} cannot be emptied. Give it another place.`, false);
  await reset(planned as PlannedSinkOf<SinkType>, owner, world, recreates);
}
