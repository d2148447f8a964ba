import { exportToFlink } from "../../pipelines/host/flink/export-to-flink.js";
import { reportDiagnostics } from "../compile/report-diagnostics.js";
import { type ExportArguments, exportPipelines } from "../hosted-pipeline/show-pipelines.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import type { ReportArguments } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import type { SubgraphArguments } from "./sources/open-subgraphs.js";
import { type DefinitionArguments, withPlan } from "./with-plan.js";

/** Arguments of `pipeline export`. */
export interface ExportPipelineArguments
  extends ExportArguments,
    ReportArguments,
    Omit<DefinitionArguments, "configPath">,
    SubgraphArguments {
  readonly engine?: "flink" | undefined;
  readonly integers: "decimal" | "string";
}

/** Prints pipelines of a server, or a definition as the statements of another engine; returns the exit code. */
export function exportPipeline(args: ExportPipelineArguments, terminal: Terminal): Promise<number> {
  if (args.engine === undefined) return exportPipelines(args, terminal);
  const { name: configPath } = args;
  if (configPath === undefined) throw new UsageError("--engine: pass the definition file to print.");
  return withPlan(
    { ...args, configPath, flinkIntegers: args.integers },
    terminal,
    async ({ flow, report }) => {
      reportDiagnostics(report.diagnostics, args, terminal);
      if (!flow) return exitCodes.diagnostics;
      terminal.out(exportToFlink(flow, args.integers));
      return exitCodes.clean;
    },
  );
}
