import type { SinkType } from "../definition/shapes.js";
import type { AuditSink } from "./audit.js";

/** How sinks are opened for audits, by type. Each is loaded when it is needed; what is missing cannot be audited. */
const auditors: { readonly [T in SinkType]?: () => Promise<AuditSink<T>> } = {
  postgres: async () => (await import("./postgres/audit-postgres.js")).auditPostgres,
  postgres_aggregate: async () =>
    (await import("./postgres-aggregate/open-postgres-aggregate.js")).auditPostgresAggregate,
  clickhouse: async () => (await import("./clickhouse/audit-clickhouse.js")).auditClickHouse,
  kafka: async () => (await import("./kafka/audit-kafka.js")).auditKafka,
  mysql_sink: async () => (await import("./mysql/audit-mysql.js")).auditMysql,
  file: async () => (await import("./file/audit-file.js")).auditFile,
  s3_sink: async () => (await import("./s3/audit-s3.js")).auditS3,
  webhook: async () => (await import("./webhook/audit-webhook.js")).auditWebhook,
  sqs_sink: async () => (await import("./sqs/audit-sqs.js")).auditSqs,
  elasticsearch: async () => (await import("./elasticsearch/audit-elasticsearch.js")).auditElasticsearch,
};

/** How a sink of a type is opened for audits; `undefined` if it keeps no ledger. */
export async function auditorOf(type: SinkType): Promise<AuditSink<SinkType> | undefined> {
  return (await auditors[type]?.()) as AuditSink<SinkType> | undefined;
}
