export { type Asc, startAsc } from "./build/asc.js";
export type { Optimization } from "./build/built-wasm.js";
export type { Diagnostic, RelatedPlace, Severity } from "./diagnostics/diagnostic.js";
export { renderText } from "./diagnostics/render-text.js";
export type { EmittedFile, Origin } from "./emit/emitted-file.js";
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
export { type Location, type Position, positionAt, type Source } from "./source/source.js";
