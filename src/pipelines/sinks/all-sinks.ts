import { SinkError } from "../state/sink-error.js";
import { blackhole } from "./blackhole/sink-type.js";
import { clickhouse } from "./clickhouse/sink-type.js";
import { duckdb } from "./duckdb/sink-type.js";
import { elasticsearch } from "./elasticsearch/sink-type.js";
import { file } from "./file/sink-type.js";
import { kafka } from "./kafka/sink-type.js";
import { mysql } from "./mysql/sink-type.js";
import { postgres } from "./postgres/sink-type.js";
import { postgresAggregate } from "./postgres-aggregate/sink-type.js";
import { print } from "./print/sink-type.js";
import { s3 } from "./s3/sink-type.js";
import type { SinkType } from "./sink-type.js";
import { sqs } from "./sqs/sink-type.js";
import { webhook } from "./webhook/sink-type.js";

/** All types of sinks, in the order in which messages and schemas list them. Nothing else lists them. */
export const allSinks: readonly SinkType[] = [
  print,
  blackhole,
  file,
  kafka,
  s3,
  postgres,
  mysql,
  duckdb,
  elasticsearch,
  sqs,
  postgresAggregate,
  webhook,
  clickhouse,
];

/** The type of a name. @throws SinkError if there is none, as for a definition of a later version */
export function sinkTypeOf(name: string): SinkType {
  const type = allSinks.find((one) => one.name === name);
  if (!type) throw new SinkError(`This version cannot write a sink of type ${name}.`, false);
  return type;
}
