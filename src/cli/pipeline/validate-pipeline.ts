import { visible } from "../../base/visible.js";
import { DuckDbMissingError } from "../../node/duckdb/open-duckdb.js";
import { reportDiagnostics } from "../compile/report-diagnostics.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { ReportArguments } from "../terminal/options.js";
import type { Terminal } from "../terminal/terminal.js";
import { planFile } from "./plan-file.js";

/** Arguments of `pipeline validate`. */
export interface ValidateArguments extends ReportArguments {
  readonly configPath: string;
  readonly var?: readonly string[] | undefined;
}

/** Checks a definition and reports its diagnostics; returns the exit code. */
export async function validatePipeline(args: ValidateArguments, terminal: Terminal): Promise<number> {
  try {
    const { plan, report } = await planFile(args.configPath, args.var ?? [], terminal);
    reportDiagnostics(report.diagnostics, args, terminal);
    if (!plan) return exitCodes.diagnostics;
    if (args.format !== "json")
      terminal.out(
        `${visible(args.configPath)} is valid: ${count(plan.sources.length, "source")}, ${count(plan.transforms.length, "transform")}, ${count(plan.sinks.length, "sink")}\n`,
      );
    return exitCodes.clean;
  } catch (error) {
    if (!(error instanceof DuckDbMissingError)) throw error;
    terminal.err(`${error.message}\n`);
    return exitCodes.usage;
  }
}
