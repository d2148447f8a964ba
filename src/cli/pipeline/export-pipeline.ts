import { exportFlow } from "../../flows/flink/export-flow.js";
import { reportDiagnostics } from "../compile/report-diagnostics.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { ReportArguments } from "../terminal/options.js";
import type { Terminal } from "../terminal/terminal.js";
import type { SubgraphArguments } from "./open-subgraphs.js";
import { type DefinitionArguments, withPlan } from "./with-plan.js";

/** Arguments of `pipeline export`. */
export interface ExportPipelineArguments extends ReportArguments, DefinitionArguments, SubgraphArguments {
  readonly engine: "flink";
  readonly integers: "decimal" | "string";
}

/** Prints a definition as the statements of another engine; returns the exit code. */
export function exportPipeline(args: ExportPipelineArguments, terminal: Terminal): Promise<number> {
  return withPlan({ ...args, anySql: true }, terminal, async ({ plan, report }) => {
    const statements = plan && exportFlow(plan, args.integers, report);
    reportDiagnostics(report.diagnostics, args, terminal);
    if (statements === undefined) return exitCodes.diagnostics;
    terminal.out(statements);
    return exitCodes.clean;
  });
}
