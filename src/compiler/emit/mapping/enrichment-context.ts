import type { UserExpression } from "../../model/enrichment.js";
import type { Handler } from "../../model/handler.js";
import type { EncoderHelpers } from "./encoder-helpers.js";
import type { ModuleScope } from "./module-scope.js";

/** What the views of an enrichment are made with. */
export interface EnrichmentContext {
  /** The handler whose enrichment it is. */
  readonly handler: Handler;
  /** The name the enrichment function got. */
  readonly name: string;
  readonly scope: ModuleScope;
  readonly encoders: EncoderHelpers;
  /** The mark that stands for an expression of the handler. */
  readonly mark: (expression: UserExpression) => string;
}

/** What a part of the enrichment is logged with. */
export interface LogView {
  readonly debugging: boolean;
  /** Beginning of every log line. */
  readonly label: string;
}
