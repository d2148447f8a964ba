import type { Report } from "../../diagnostics/report.js";
import type { LocatedString } from "../../source/source.js";
import type { TreeNode } from "../../source/tree.js";
import type { ValidProject } from "../config.js";

/** One question the schema cannot ask. */
export type Rule = (project: ValidProject, context: RuleContext, report: Report) => void;

/** What a rule may need beside the project. */
export interface RuleContext {
  /** The whole configuration, with what the project leaves out. */
  readonly config: TreeNode;
  /** Every ABI that is declared, also those that could not be read. */
  readonly declared: ReadonlyMap<string, LocatedString>;
  /** False when parts of the configuration were left out as unsound: what is missing may be among them. */
  readonly complete: boolean;
}
