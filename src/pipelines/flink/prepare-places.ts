import { SQL } from "../../store/database/database.js";
import { quoteNames } from "../../store/database/quote.js";
import type { PlannedSinkOf, SinkWorld } from "../sinks/opening.js";
import { postgresOptions } from "../sinks/postgres/open-postgres.js";
import { sinkErrorOf } from "../sinks/postgres/postgres-error.js";
import { postgresTables } from "../sinks/postgres/postgres-table.js";
import type { PostgresShape } from "../sinks/postgres/shape.js";
import { prepareTable } from "../sinks/tables/prepare-table.js";
import { SinkError } from "../state/sink-error.js";
import type { FlinkSink } from "./check-sink.js";

/** The target of a sink, which identifies its rows as those of the pipeline. */
export function targetOf({ definition, name }: FlinkSink): string {
  switch (definition.type) {
    case "postgres":
    case "mysql_sink": {
      const { secret_name: secret, schema, table } = definition.settings;
      return [definition.type, secret?.value, schema?.value ?? "", table?.value].join(" ");
    }
    case "kafka":
      return `kafka ${definition.settings.secret_name?.value} ${definition.settings.topic?.value}`;
    case "blackhole":
      return `blackhole ${name}`;
  }
}

/**
 * Creates a table if it does not exist and checks that it holds every value, as our own sink does: Flink creates no
 * tables.
 * @param isOurs whether the pipeline has written it before
 * @throws SinkError if the table does not fit or holds foreign rows
 */
export async function prepareSinkTable(
  sink: PlannedSinkOf<PostgresShape>,
  flow: string,
  isOurs: boolean,
  world: SinkWorld,
): Promise<void> {
  const options = await postgresOptions(sink, { flow, sources: [] }, world);
  const { database, table } = options;
  try {
    await prepareTable(postgresTables, { ...options, evolves: false }, async () => undefined);
    if (isOurs) return;
    const rows = await database.query(SQL`select 1 from ${quoteNames(table.schema, table.name)} limit 1`);
    if (rows.length > 0)
      throw new SinkError(
        `Table ${table.schema}.${table.name} holds rows that this pipeline has not written by Flink. Choose another table, or empty it.`,
        false,
      );
  } catch (error) {
    throw sinkErrorOf(error);
  } finally {
    await database.close();
  }
}
