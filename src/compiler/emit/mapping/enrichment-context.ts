import type { UserExpression } from "../../model/enrichment.js";
import type { Handler } from "../../model/handler.js";
import type { CallHelpers } from "./call-helpers.js";
import type { ModuleScope } from "./module-scope.js";

export interface EnrichmentContext {
  readonly handler: Handler;
  /** Name of the enrichment function. */
  readonly name: string;
  readonly scope: ModuleScope;
  readonly callHelpers: CallHelpers;
  /** Returns the placeholder for an expression of the handler. */
  readonly mark: (expression: UserExpression) => string;
}

/** The part of a view that log messages use. */
export interface LogView {
  readonly debugging: boolean;
  /** Prefix of every log line. */
  readonly label: string;
}
