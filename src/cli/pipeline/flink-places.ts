import type { FlinkRun } from "../../pipelines/host/flink/run-on-flink.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** Arguments of `pipeline run` that say where queries run. */
export interface EngineArguments {
  readonly engine?: string | undefined;
  readonly kafka?: string | undefined;
  readonly integers: FlinkRun["integers"];
  readonly "from-snapshot": "last" | "none";
}

/** A cluster of Flink, and one of Kafka. */
export type FlinkPlaces = Pick<FlinkRun, "gateway" | "kafka">;

/**
 * Where Flink and Kafka are; `undefined` if the queries run here.
 * @throws UsageError
 */
export function flinkPlaces({ engine, kafka }: EngineArguments): FlinkPlaces | undefined {
  if (engine === undefined) {
    if (kafka !== undefined)
      throw new UsageError("--kafka: add --engine flink=<gateway>, which reads its topics.");
    return undefined;
  }
  const [, gateway] = /^flink=(https?:\/\/\S+)$/.exec(engine) ?? [];
  if (gateway === undefined)
    throw new UsageError(
      "--engine: write flink=<address of the SQL gateway>, such as flink=http://localhost:8083.",
    );
  if (kafka === undefined)
    throw new UsageError("--engine flink: pass --kafka <host>:9092, where the topics are that Flink reads.");
  return { gateway, kafka };
}
