import { Report } from "../../compiler/diagnostics/report.js";
import { createNodeHost } from "../../machine/files/host.js";
import { createNodeWorld } from "../../machine/world.js";
import type { DefinedPipeline } from "../../pipelines/definition/definition.js";
import { type LoadWorld, loadDefinition } from "../../pipelines/definition/load-definition.js";
import { type Planned, type PlanningWorld, planDefinition } from "../../pipelines/host/plan-definition.js";
import { addressReader } from "../../pipelines/http/read-address.js";
import { allSinks } from "../../pipelines/sinks/all-sinks.js";
import { createOutgoing } from "../../web/outgoing/outgoing.js";
import { givenVariables } from "../terminal/given-variables.js";
import type { Terminal } from "../terminal/terminal.js";
import { definitionReach } from "./definition-reach.js";

/** Megabytes that each SQL engine may use on the user's own machine. */
export const sqlMemory = 1_024;

/** A definition that was checked. */
export interface PlannedFile extends Planned {
  /** `undefined` if nothing could be read. */
  readonly definition: DefinedPipeline | undefined;
  readonly report: Report;
}

/**
 * Reads and checks a definition.
 * @param given values of variables, `<NAME>=<value>`; others come from the environment, unless the terminal is confined to a folder
 * @param openSubgraphs called if the definition reads entities of subgraphs
 * @param flinkIntegers Flink's type for integers of 256 bits, if Flink runs the queries, which then may aggregate, join
 *   and so on
 * @throws UsageError for a value without a name; PackageMissingError if it has SQL and no engine for it
 */
export async function planFile(
  path: string,
  given: readonly string[],
  terminal: Terminal,
  openSubgraphs: PlanningWorld["openSubgraphs"],
  flinkIntegers?: PlanningWorld["flinkIntegers"],
): Promise<PlannedFile> {
  const values = givenVariables(given);
  const report = new Report();
  const { cwd, stdin, within } = terminal;
  const { variables, knownSecret, allowsPrivate } = definitionReach(terminal);
  const outgoing = createOutgoing({ allowsPrivate }, createNodeWorld());
  const world: FileWorld = {
    host: createNodeHost({ cwd, stdin, within }),
    variables: (name) => values.get(name) ?? variables(name),
    secret: knownSecret,
    read: addressReader(outgoing),
    openSubgraphs,
    flinkIntegers,
  };
  return planRead(path, world, report).finally(() => outgoing.close());
}

/** What planning a file needs from outside. */
export interface FileWorld
  extends Pick<LoadWorld, "host" | "variables" | "read">,
    Omit<PlanningWorld, "memory"> {}

/** Reads and checks a definition in a world of the caller's. @throws PackageMissingError as `planFile` */
export async function planRead(
  path: string,
  { host, variables, read, ...world }: FileWorld,
  report: Report,
): Promise<PlannedFile> {
  const loaded = await loadDefinition(path, { host, variables, sinkTypes: allSinks, read }, report);
  const definition = loaded?.definition;
  if (!definition) return { plan: undefined, flow: undefined, definition, report };
  return {
    ...(await planDefinition(definition, { ...world, memory: sqlMemory }, report)),
    definition,
    report,
  };
}
