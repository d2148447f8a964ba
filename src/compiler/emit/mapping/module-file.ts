import type { UserExpression } from "../../model/enrichment.js";
import type { MappingModule } from "../../model/subgraph.js";
import type { EmittedFile } from "../emitted-file.js";
import type { Templates } from "../templates.js";
import { ExpressionMarks } from "../weave.js";
import { CallHelpers } from "./call-helpers.js";
import { enrichmentView } from "./enrichment-view.js";
import { handlerView } from "./handler-view.js";
import { ModuleScope } from "./module-scope.js";

/**
 * Emits the mapping file of an ABI: the handlers, each followed by its enrichment.
 * @param mappingStem file stem of the user's own mapping; empty if there is none
 */
export function emitModule(module: MappingModule, mappingStem: string, templates: Templates): EmittedFile {
  const scope = new ModuleScope(module, mappingStem);
  const marks = new ExpressionMarks();
  const callHelpers = new CallHelpers(scope);
  const handlers = module.handlers.map((handler) => {
    const { enrichment } = handler;
    const name = enrichment ? scope.own(handler.name.replace(/^handle(.*)Enriched/, "enrich$1")) : "";
    const view = handlerView(handler, scope, name);
    const mark = (expression: UserExpression): string => marks.mark(expression, handler.name);
    return {
      ...view,
      enrichment: enrichment ? enrichmentView(enrichment, { handler, name, scope, callHelpers, mark }) : null,
    };
  });
  const text = templates.print("module", {
    imports: scope.importStatements(),
    handlers,
    callHelpers: callHelpers.views(),
    rangeTest: callHelpers.usedRangeTest,
    textSetter: scope.usedTextSetter,
  });
  return { path: `src/${module.fileStem}.ts`, ...marks.weave(text) };
}
