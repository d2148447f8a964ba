export type { Asc, Optimization } from "../compiler/asc/asc.js";
export type { CacheStore } from "../compiler/cache/cache-store.js";
export type { Compilation, CompileOptions } from "../compiler/compilation.js";
export { type CatalogEntry, type Code, catalog } from "../compiler/diagnostics/catalog.js";
export type { SeverityCounts } from "../compiler/diagnostics/count-severities.js";
export type { Diagnostic, Edit, RelatedPlace, Severity } from "../compiler/diagnostics/diagnostic.js";
export { renderGithub } from "../compiler/diagnostics/render-github.js";
export {
  type JsonDiagnostic,
  type JsonPlace,
  type JsonPosition,
  type JsonReport,
  renderJson,
} from "../compiler/diagnostics/render-json.js";
export { renderSarif } from "../compiler/diagnostics/render-sarif.js";
export { renderText, type TextOptions } from "../compiler/diagnostics/render-text.js";
export type { EmittedFile, Origin } from "../compiler/emit/emitted-file.js";
export { type AppliedFixes, applyFixes, type SkippedFix } from "../compiler/fix/apply-fixes.js";
export type { SkipReason } from "../compiler/fix/candidates.js";
export type { Splice } from "../compiler/fix/splice.js";
export type { FileRead, Host } from "../compiler/host.js";
export {
  type LocatedString,
  type Location,
  type Position,
  positionAt,
  type Source,
} from "../compiler/source/source.js";
export { startAsc } from "../machine/compiler/asc.js";
export { createNodeCache, type NodeCache, type NodeCacheOptions } from "../machine/compiler/cache.js";
export type { CacheContent } from "../machine/compiler/cache-entries.js";
export { type BuildOptions, build, check, compile } from "../machine/compiler/compile.js";
export { createNodeHost } from "../machine/files/host.js";
