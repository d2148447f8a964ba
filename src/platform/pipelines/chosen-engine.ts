import { noLogin } from "../../pipelines/host/flink/flink-place.js";
import type { DrivenFlink, OtherEngine } from "../../pipelines/host/pipeline-engine.js";
import { Problem } from "../problem.js";

/** A request's choice of a pipeline's engine. */
export interface AskedEngine {
  /** `graphloom`, `flink`, or `flink=<gateway>`. */
  readonly engine?: string | undefined;
  readonly integers?: OtherEngine["integers"] | undefined;
}

/**
 * The engine that runs the queries of a pipeline from now on.
 * @param before the previous engine
 * @param flink the server's Flink, if it has one
 * @returns `undefined` for the server itself
 * @throws Problem `bad-request`, or `unprocessable` if the server drives no Flink, or not for this project
 */
export function chosenEngine(
  { engine, integers }: AskedEngine,
  before: OtherEngine | undefined,
  project: string,
  flink: DrivenFlink | undefined,
): OtherEngine | undefined {
  const asked = engine ?? before?.kind ?? "graphloom";
  if (asked === "graphloom") {
    if (integers === undefined) return undefined;
    throw wrong("integers", "is for pipelines that Flink runs: add the engine flink");
  }
  const [, named] = /^flink(?:=(.+))?$/.exec(asked) ?? [asked, ""];
  if (named === "") throw wrong("engine", "must be graphloom, flink or flink=<gateway>");
  if (flink === undefined)
    throw new Problem(
      "unprocessable",
      "This server does not run pipelines on Flink. Start it with --flows flink=<gateway>,kafka=<brokers>, or run the pipeline yourself: graphloom pipeline run --engine flink=<gateway> --kafka <brokers>",
    );
  if (named !== undefined && plain(named) !== plain(flink.gateway))
    throw wrong("engine", "names another gateway than that of this server. Write flink for the server's own");
  if (!flink.admits(project)) throw new Problem("unprocessable", noLogin);
  return { kind: "flink", integers: integers ?? before?.integers ?? "string" };
}

function plain(address: string): string {
  return (URL.canParse(address) ? new URL(address).href : address).replace(/\/+$/, "");
}

function wrong(field: string, message: string): Problem {
  return new Problem("bad-request", `The ${field} is not one that this server has.`, {
    errors: [{ field, message }],
  });
}
