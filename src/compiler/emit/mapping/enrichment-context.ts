import type { UserExpression } from "../../model/enrichment.js";
import type { Handler } from "../../model/handler.js";
import type { EncoderHelpers } from "./encoder-helpers.js";
import type { ModuleScope } from "./module-scope.js";

/** What the views of an enrichment are made from. */
export interface EnrichmentContext {
  /** The handler whose enrichment it is. */
  readonly handler: Handler;
  /** Name of the enrichment function. */
  readonly name: string;
  readonly scope: ModuleScope;
  readonly encoders: EncoderHelpers;
  /** The placeholder of an expression of the handler. */
  readonly mark: (expression: UserExpression) => string;
}

/** The part of a view that is logged. */
export interface LogView {
  readonly debugging: boolean;
  /** Prefix of every log line. */
  readonly label: string;
}
