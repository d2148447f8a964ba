import type { TableFiles } from "../../datasets/sync/table-files.js";
import type { Database, SqlFragment } from "../../store/database/database.js";
import type { FlowColumn } from "../changes/schema.js";
import { overrideType } from "../definition/override-type.js";
import type { Named } from "../definition/settings.js";
import type { PlannedSink } from "../plan/flow-plan.js";
import { jdbcAddress } from "./jdbc-address.js";
import { chosenType } from "./postgres/column-types.js";
import { BlackholeSink, PrintSink } from "./print-sink.js";
import { type Sink, SinkError } from "./sink.js";

/** What sinks need from outside. */
export interface SinkWorld {
  /** Where rows are printed. */
  out(text: string): void;
  /** The value of a secret; `undefined` if there is none of the name. */
  secret(name: string): string | undefined;
  /** Opens a folder for files. @param path as the definition has it */
  openFiles(path: string): TableFiles;
  /** Opens a user's database. @throws DatabaseError */
  openDatabase(address: string): Promise<Database>;
}

/** Whose sink it is, and the columns of the sources that lead to it. */
export interface SinkOwner {
  readonly flow: string;
  readonly sources: ReadonlyMap<string, readonly FlowColumn[]>;
}

/**
 * Opens a sink.
 * @throws SinkError
 */
export async function openSink(
  { name, definition, schema }: PlannedSink,
  { flow, sources }: SinkOwner,
  world: SinkWorld,
): Promise<Sink> {
  switch (definition.type) {
    case "print":
      return new PrintSink((text) => world.out(text));
    case "blackhole":
      return new BlackholeSink();
    case "postgres": {
      const { settings } = definition;
      const address = databaseAddress(settings.secret_name?.value ?? "", world);
      const { openPostgresSink, sinkErrorOf } = await import("./postgres/postgres-sink.js");
      const database = await world.openDatabase(address).catch((error: unknown) => {
        throw sinkErrorOf(error);
      });
      return openPostgresSink({
        database,
        table: { schema: settings.schema?.value ?? "public", name: settings.table?.value ?? "" },
        schema,
        overrides: overridesOf(settings.schema_override ?? []),
        onConflict: settings.on_conflict?.value === "nothing" ? "nothing" : "update",
        owner: { flow, sink: name, sources },
      });
    }
    case "file": {
      const { settings } = definition;
      const { openFileSink } = await import("./file/file-sink.js");
      return openFileSink({
        files: world.openFiles(settings.path?.value ?? ""),
        flow,
        sink: name,
        sources: [...sources.keys()],
        columns: schema.columns,
        blocksPerFile: settings.blocks_per_file?.value ?? 10_000,
      });
    }
    default:
      throw new SinkError(`This version cannot write a sink of type ${definition.type}.`, false);
  }
}

function overridesOf(given: readonly Named<string | null>[]): ReadonlyMap<string, SqlFragment | null> {
  const chosen = given.map(({ name, value }) => {
    const type = value.value === null ? undefined : overrideType(value.value);
    return [name.value, type ? chosenType(type) : null] as const;
  });
  return new Map(chosen);
}

function databaseAddress(name: string, world: SinkWorld): string {
  const secret = world.secret(name);
  if (secret === undefined)
    throw new SinkError(
      `There is no secret ${name}. Set the environment variable ${secretVariable(name)} to its value.`,
      false,
    );
  const address = jdbcAddress(secret);
  if (address === undefined)
    throw new SinkError(
      `Secret ${name} is not the address of a database. Its value looks like postgres://user:password@host:5432/database.`,
      false,
    );
  return address;
}

/** The environment variable that holds a secret. */
export function secretVariable(name: string): string {
  return `GRAPHLOOM_SECRET_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`;
}
