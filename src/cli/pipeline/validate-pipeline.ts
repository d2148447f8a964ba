import { uncapitalized } from "../../base/text/uncapitalized.js";
import { visible } from "../../base/text/visible.js";
import type { PipelinePlan } from "../../pipelines/plan/pipeline-plan.js";
import { DatabaseError } from "../../store/open.js";
import { reportDiagnostics } from "../compile/report-diagnostics.js";
import { type DefinitionPlace, placeOfDefinition } from "../hosted-pipeline/place-of-definition.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { isDocument, type ReportArguments } from "../terminal/usage/options.js";
import { planFile } from "./plan-file.js";
import {
  type OpenSubgraphs,
  openSubgraphs,
  placeOfSubgraphs,
  type SubgraphArguments,
} from "./sources/open-subgraphs.js";
import { type DefinitionArguments, reportMissingPackage } from "./with-plan.js";

/** Arguments of `pipeline validate`. */
export interface ValidateArguments
  extends ReportArguments,
    Omit<DefinitionArguments, "configPath">,
    SubgraphArguments,
    DefinitionPlace {}

/** Checks a definition and reports its diagnostics; returns the exit code. */
export function validatePipeline(args: ValidateArguments, terminal: Terminal): Promise<number> {
  const { path: configPath, terminal: reading } = placeOfDefinition(args, terminal);
  return reportMissingPackage(terminal, () => validate({ ...args, configPath }, reading));
}

async function validate(args: ValidateArguments & DefinitionArguments, terminal: Terminal): Promise<number> {
  let subgraphs: OpenSubgraphs | undefined;
  try {
    const { plan, report } = await planFile(args.configPath, args.var ?? [], terminal, async () => {
      const place = placeOfSubgraphs(args, terminal);
      if (place === undefined) return { why: "no database of subgraphs is given" };
      try {
        subgraphs = await openSubgraphs(place);
        return subgraphs.catalog;
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error;
        const { message, hint } = error;
        return { why: visible(message), hint: hint === undefined ? undefined : visible(plainHint(hint)) };
      }
    });
    reportDiagnostics(report.diagnostics, args, terminal);
    if (!plan) return exitCodes.diagnostics;
    if (!isDocument(args.format)) terminal.out(`${visible(args.configPath)} is valid${found(plan)}\n`);
    return exitCodes.clean;
  } finally {
    await subgraphs?.database.close();
  }
}

/** A hint of a database in the form of diagnostics: without a capital and a full stop. */
function plainHint(hint: string): string {
  return uncapitalized(hint).replace(/\.$/, "");
}

/** What was checked. */
function found({ sources, transforms, sinks, unread = [] }: PipelinePlan): string {
  if (unread.length > 0) return `, except for what reads ${unread.map(visible).join(", ")}`;
  return `: ${count(sources.length, "source")}, ${count(transforms.length, "transform")}, ${count(sinks.length, "sink")}`;
}
