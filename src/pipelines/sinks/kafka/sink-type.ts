import { quote } from "../../../base/text/quote.js";
import type { Report } from "../../../compiler/diagnostics/report.js";
import type { RowColumn } from "../../changes/schema.js";
import type { SinkDefinitionOf } from "../../definition/definition.js";
import { checkHttp } from "../../plan/check-http.js";
import { sinkType } from "../sink-type.js";
import { type KafkaShape, kafkaShape } from "./shape.js";

export const kafka = sinkType({
  name: "kafka",
  shape: kafkaShape,
  place: "topic",
  check({ settings }, columns, report) {
    checkKafka(settings, columns, report);
    return undefined;
  },
  load: async () => ({
    open: (await import("./open-kafka.js")).openKafka,
    audit: (await import("./audit-kafka.js")).auditKafka,
    parked: (await import("./audit-kafka.js")).parkedBesideTopic,
  }),
});

/** The names that fields can have in Avro. */
const fieldName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Reports what records of a topic cannot be in the format that a sink chooses. */
function checkKafka(
  settings: SinkDefinitionOf<KafkaShape>["settings"],
  columns: readonly RowColumn[],
  report: Report,
): void {
  const { data_format: format, deletions, schema_registry_url: registry } = settings;
  if (deletions?.value === "tombstone" && format?.value === "debezium-json")
    report.error("wrong-value", deletions.at, "Debezium's envelopes hold the row that is deleted", {
      hint: "remove deletions, or choose another data_format",
    });
  if (registry) checkHttp({ url: registry }, report);
  if (format?.value !== "avro") return;
  for (const { name } of columns.filter((column) => !fieldName.test(column.name)))
    report.error("wrong-value", format.at, `column ${quote(name)} cannot be a field in Avro`, {
      hint: "give it a name of letters, digits and underscores in a query, with AS",
    });
}
