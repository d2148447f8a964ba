import type { KafkaAddress } from "../../../src/pipelines/sinks/kafka-client.js";
import { openTestKafka } from "../servers/kafka-client.js";

// A process that connects to brokers and says what came of it, for tests of what it trusts: `<addresses as JSON>`. What
// Node trusts besides public authorities is decided when it starts.
const addresses = JSON.parse(process.argv[2] ?? "[]") as readonly KafkaAddress[];
const results: (string | undefined)[] = [];
for (const address of addresses) {
  const kafka = await openTestKafka(address);
  try {
    results.push((await kafka.topic("absent")) === undefined ? "connected" : "found");
  } catch (error) {
    const { message, isTemporary } = error as { readonly message: string; readonly isTemporary: boolean };
    results.push(`${isTemporary ? "for now" : "for good"}: ${message}`);
  }
  await kafka.close();
}
process.send?.(results);
process.disconnect?.();
