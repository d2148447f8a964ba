import { jsonRows } from "../../../src/flows/sinks/kafka/json-rows.js";
import { openKafkaSink } from "../../../src/flows/sinks/kafka/kafka-sink.js";
import { openTestKafka } from "../servers/kafka-client.js";
import { playedSchema, writeRounds } from "./played-rounds.js";

// A process that writes some rounds into a topic, for tests that kill it: `<broker> <rounds>`.
const [broker = "", rounds = ""] = process.argv.slice(2);
const sink = await openKafkaSink({
  kafka: await openTestKafka({ brokers: [broker], isTls: false }),
  topic: "killed",
  partitions: 3,
  schema: playedSchema,
  rows: jsonRows(playedSchema),
  deletions: "row",
  flow: "f",
  sink: "s",
});
process.send?.("writing");
await writeRounds(Number(rounds), sink);
await sink.close();
process.disconnect?.();
