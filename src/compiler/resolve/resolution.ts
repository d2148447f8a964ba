import type { Report } from "../diagnostics/report.js";
import type { AbiDeclaration } from "../validate/config.js";
import type { UsedAbi } from "./bind-abis.js";
import type { ExpressionParser } from "./expression-parser.js";

/** The context of all steps of resolving. */
export interface Resolution {
  /** The declared ABIs by name; they include all that instances use. */
  readonly declarations: ReadonlyMap<string, AbiDeclaration>;
  readonly parser: ExpressionParser;
  readonly report: Report;
}

/** The same, once the usage of ABIs is known. */
export interface BoundResolution extends Resolution {
  /** The ABIs in use, by name. */
  readonly abis: ReadonlyMap<string, UsedAbi>;
}
