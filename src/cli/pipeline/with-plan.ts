import { visible } from "../../base/text/visible.js";
import { PackageMissingError } from "../../machine/optional-package.js";
import type { PlanningWorld } from "../../pipelines/host/plan-definition.js";
import type { Database } from "../../store/database/database.js";
import { DatabaseError } from "../../store/open.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { type PlannedFile, planFile } from "./plan-file.js";
import {
  databaseFailure,
  type OpenSubgraphs,
  openSubgraphs,
  requiredPlace,
  type SubgraphArguments,
} from "./sources/open-subgraphs.js";

/** Arguments that name a definition. */
export interface DefinitionArguments {
  readonly configPath: string;
  readonly var?: readonly string[] | undefined;
  /** Flink's type for integers of 256 bits, if Flink runs the queries. */
  readonly flinkIntegers?: PlanningWorld["flinkIntegers"];
}

/**
 * Does the work of a command that plans a definition. If a package is missing, it says what to install.
 * @returns the exit code
 */
export async function reportMissingPackage(terminal: Terminal, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PackageMissingError)) throw error;
    terminal.err(`${error.message}\n`);
    return exitCodes.usage;
  }
}

/**
 * Plans a definition, and does the rest of the command while the database of its subgraphs is open.
 * @param work gets no database if the definition reads no entities
 * @returns the exit code
 * @throws UsageError if it reads entities, and no argument says where they are
 */
export function withPlan(
  args: DefinitionArguments & SubgraphArguments,
  terminal: Terminal,
  work: (planned: PlannedFile, database: Database | undefined) => Promise<number>,
): Promise<number> {
  return reportMissingPackage(terminal, async () => {
    let subgraphs: OpenSubgraphs | undefined;
    try {
      const open = async (): Promise<OpenSubgraphs["catalog"]> => {
        subgraphs = await openSubgraphs(requiredPlace(args, terminal));
        return subgraphs.catalog;
      };
      const planned = await planFile(args.configPath, args.var ?? [], terminal, open, args.flinkIntegers);
      return await work(planned, subgraphs?.database);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      terminal.err(`The database of the subgraphs cannot be read: ${visible(databaseFailure(error))}\n`);
      return exitCodes.remote;
    } finally {
      await subgraphs?.database.close();
    }
  });
}
