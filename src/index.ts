export { type Asc, startAsc } from "./build/asc.js";
export type { Optimization } from "./build/built-wasm.js";
export { type CatalogEntry, type Code, catalog } from "./diagnostics/catalog.js";
export type { SeverityCounts } from "./diagnostics/count-severities.js";
export type { Diagnostic, Edit, RelatedPlace, Severity } from "./diagnostics/diagnostic.js";
export { renderGithub } from "./diagnostics/render-github.js";
export {
  type JsonDiagnostic,
  type JsonPlace,
  type JsonPosition,
  type JsonReport,
  renderJson,
} from "./diagnostics/render-json.js";
export { renderText, type TextOptions } from "./diagnostics/render-text.js";
export type { EmittedFile, Origin } from "./emit/emitted-file.js";
export { type AppliedFixes, applyFixes, type SkippedFix, type SkipReason } from "./fix/apply-fixes.js";
export type { Splice } from "./fix/splice.js";
export type { FileRead, Host } from "./host.js";
export { createNodeHost } from "./node-host.js";
export {
  type BuildOptions,
  build,
  type Compilation,
  type CompileOptions,
  check,
  compile,
} from "./pipeline.js";
export {
  type LocatedString,
  type Location,
  type Position,
  positionAt,
  type Source,
} from "./source/source.js";
