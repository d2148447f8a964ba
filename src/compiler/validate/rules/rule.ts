import type { Report } from "../../diagnostics/report.js";
import type { LocatedString } from "../../source/source.js";
import type { TreeNode } from "../../source/tree.js";
import type { ValidProject } from "../config.js";

/** A rule that the schema cannot express. */
export type Rule = (project: ValidProject, context: RuleContext, report: Report) => void;

/** What rules need besides the project. */
export interface RuleContext {
  /** The whole configuration, including its invalid parts. */
  readonly config: TreeNode;
  /** All declared ABIs, including unreadable ones. */
  readonly declared: ReadonlyMap<string, LocatedString>;
  /** False if invalid parts were left out. They may contain what seems to be missing. */
  readonly complete: boolean;
}
