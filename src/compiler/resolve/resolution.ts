import type { Report } from "../diagnostics/report.js";
import type { AbiDeclaration } from "../validate/config.js";
import type { UsedAbi } from "./bind-abis.js";
import type { ExpressionParser } from "./expression-parser.js";

/** What every step of resolving looks things up in and reports to. */
export interface Resolution {
  /** The ABIs of the configuration by name; every name the instances use is among them. */
  readonly declarations: ReadonlyMap<string, AbiDeclaration>;
  readonly parser: ExpressionParser;
  readonly report: Report;
}

/** The same once it is known what is used of the ABIs. */
export interface BoundResolution extends Resolution {
  /** The ABIs in use, by name. */
  readonly abis: ReadonlyMap<string, UsedAbi>;
}
