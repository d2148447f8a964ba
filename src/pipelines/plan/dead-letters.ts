import { quote } from "../../base/text/quote.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { RowSchema } from "../changes/schema.js";
import type { DefinedPipeline, SinkDefinition } from "../definition/definition.js";
import type { PlannedSink } from "./pipeline-plan.js";
import type { PlannedSinkType, SinkPlace } from "./planned-sink-type.js";

/** The rows of a sink of dead letters: a row that another sink has refused. The id is the same if it is written again. */
export const letterSchema: RowSchema = {
  columns: [
    { name: "id", type: "STRING", nullable: false },
    { name: "pipeline", type: "STRING", nullable: false },
    { name: "sink", type: "STRING", nullable: false },
    { name: "source", type: "STRING", nullable: false },
    { name: "first_block", type: "LONG", nullable: false },
    { name: "last_block", type: "LONG", nullable: false },
    { name: "operation", type: "STRING", nullable: false },
    { name: "row_key", type: "JSON", nullable: false },
    { name: "row_data", type: "JSON", nullable: false },
    { name: "column_name", type: "STRING", nullable: true },
    { name: "reason", type: "STRING", nullable: false },
    { name: "refused_at", type: "TIMESTAMP", nullable: false },
  ],
  key: ["id"],
};

/** What is written of ranges of blocks, which dead letters do not have. */
const unable: ReadonlySet<SinkPlace> = new Set(["files"]);

/** The name of the sink whose refused rows a sink gets, as its `from` says; `undefined` for one that reads a node. */
export function refusingSink(
  { name, settings }: SinkDefinition,
  { sources, transforms, sinks }: Pick<DefinedPipeline, "sources" | "transforms" | "sinks">,
): string | undefined {
  const wanted = settings.from?.value.toLowerCase();
  const isWanted = (one: { readonly name: { readonly value: string } }): boolean =>
    one.name.value.toLowerCase() === wanted;
  if (sources.some(isWanted) || transforms.some(isWanted)) return undefined;
  return sinks.find((one) => isWanted(one) && one.name.value !== name.value)?.name.value;
}

/**
 * Plans a sink that gets the rows that another one refuses. Reports what it cannot be.
 * @param refusing the other one
 */
export function planLetters(
  definition: SinkDefinition,
  type: PlannedSinkType,
  refusing: SinkDefinition,
  report: Report,
): PlannedSink | undefined {
  const { name, settings } = definition;
  const refused = (message: string, hint: string): undefined => {
    report.error("dead-letters", settings.from?.at ?? name.at, message, { hint });
    return undefined;
  };
  const of = quote(refusing.name.value);
  if (refusing.settings.on_error?.value !== "park")
    return refused(
      `sink ${quote(name.value)} gets the refused rows of sink ${of}, which stops at them`,
      `add on_error: park to sink ${of}, or read a source or a transform`,
    );
  const own = type.check?.(definition, letterSchema.columns, report);
  if (unable.has(type.place) || own?.aggregation || settings.on_error?.value === "park")
    return refused(
      `sink ${quote(name.value)} of type ${type.name} cannot take the refused rows of another sink`,
      "let a sink take them that writes each row by itself, without on_error: park, such as postgres, kafka or webhook",
    );
  return { name: name.value, definition, from: refusing.name.value, schema: letterSchema, ...own };
}
