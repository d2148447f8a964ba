export { ApiAnswerError } from "./api/answer-error.js";
export type { ApiConnection } from "./api/call-operation.js";
export type * as api from "./api/contract.js";
export { createManagementApi, type LogQuery, type ManagementApi } from "./api/management-api.js";
export { ApiProblem, renderProblem } from "./api/problem.js";
export { type Asc, startAsc } from "./build/asc.js";
export type { Optimization } from "./build/built-wasm.js";
export { type Adjustments as BuildAdjustments, adjustBuild } from "./bundle/adjust-build.js";
export { type Build, BundleError, networkOf, readBuild } from "./bundle/build.js";
export { type LinkedBuild, linkBuild } from "./bundle/linked-build.js";
export { zipBuild } from "./bundle/zip.js";
export type { CacheStore } from "./cache/cache-store.js";
export { createApiTarget } from "./deploy/api-target.js";
export { type DeployOptions, type DeployResult, deployAll } from "./deploy/deploy-all.js";
export { GraphNodeError } from "./deploy/graph-node/graph-node-error.js";
export { createGraphNodeTarget, type GraphNodeAddresses } from "./deploy/graph-node/graph-node-target.js";
export { downloadBuild } from "./deploy/ipfs/download.js";
export { IpfsError } from "./deploy/ipfs/ipfs-error.js";
export type {
  Deployment,
  DeploymentStatus,
  DeployProgress,
  DeployRequest,
  DeployTarget,
  SubgraphVersion,
} from "./deploy/target.js";
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
export { HttpError, type HttpFailure } from "./http/http-error.js";
export type { HttpWorld } from "./http/http-world.js";
export { createMemoryStore } from "./memory-store.js";
export { readBuildFolder } from "./node-build-folder.js";
export { createNodeCache, type NodeCache, type NodeCacheOptions } from "./node-cache.js";
export type { CacheContent } from "./node-cache-entries.js";
export { createNodeHost } from "./node-host.js";
export { createNodeHttp } from "./node-http.js";
export { type OpenChainOptions, openChain } from "./node-rpc.js";
export {
  type BuildOptions,
  build,
  type Compilation,
  type CompileOptions,
  check,
  compile,
} from "./pipeline.js";
export type { BuiltFiles, BuiltSubgraph } from "./runtime/built/built-subgraph.js";
export { readBuilt } from "./runtime/built/read-built.js";
export { type Block, type BlockPointer, type Chain, ChainError } from "./runtime/chain/chain.js";
export type { BlockOutcome } from "./runtime/executor/block-runner.js";
export type { HandlerFailure } from "./runtime/executor/failure.js";
export type { LogLine } from "./runtime/executor/handler-world.js";
export type { Progress } from "./runtime/executor/indexer.js";
export { type RunOptions, type RunOutcome, run } from "./runtime/run.js";
export type { BigDecimal, Entity, EntityChange, StoreValue } from "./runtime/store/entity.js";
export { type PlainEntity, type PlainValue, plainEntity } from "./runtime/store/plain-entity.js";
export type { BlockWrites, CreatedDataSource, EntityVersion, Store } from "./runtime/store/store.js";
export { AbortError } from "./runtime/wasm/failures.js";
export {
  type LocatedString,
  type Location,
  type Position,
  positionAt,
  type Source,
} from "./source/source.js";
