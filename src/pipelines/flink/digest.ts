import { createHash } from "node:crypto";
import type { IntegerForm } from "./column-types.js";
import { flinkStatements, statementsFile } from "./flink-statements.js";
import { placeholderOptions } from "./placeholders.js";
import type { FlinkPipeline } from "./split-pipeline.js";

/** Options that change how a sink is written, but neither what nor where. */
const tuning = /^\s*'sink\.buffer-flush\..*\n/gm;

/** A digest of what a job computes and writes. It stays the same if only batches, logins or addresses change. */
export function digestOf(flow: FlinkPipeline, integers: IntegerForm): string {
  const statements = flinkStatements(flow, placeholderOptions({ jobName: "", integers, isBounded: false }));
  const text = statementsFile(statements, []).replaceAll(tuning, "");
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
