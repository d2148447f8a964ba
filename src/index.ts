export { ApiAnswerError } from "./api/answer-error.js";
export type { ApiConnection } from "./api/call-operation.js";
export type * as api from "./api/contract.js";
export { createManagementApi, type LogQuery, type ManagementApi } from "./api/management-api.js";
export { ApiProblem, renderProblem } from "./api/problem.js";
export type { HttpWorld } from "./base/world.js";
export type { Optimization } from "./compiler/asc/asc.js";
export type { CacheStore } from "./compiler/cache/cache-store.js";
export { type CatalogEntry, type Code, catalog } from "./compiler/diagnostics/catalog.js";
export type { SeverityCounts } from "./compiler/diagnostics/count-severities.js";
export type { Diagnostic, Edit, RelatedPlace, Severity } from "./compiler/diagnostics/diagnostic.js";
export { renderGithub } from "./compiler/diagnostics/render-github.js";
export {
  type JsonDiagnostic,
  type JsonPlace,
  type JsonPosition,
  type JsonReport,
  renderJson,
} from "./compiler/diagnostics/render-json.js";
export { renderText, type TextOptions } from "./compiler/diagnostics/render-text.js";
export type { EmittedFile, Origin } from "./compiler/emit/emitted-file.js";
export {
  type AppliedFixes,
  applyFixes,
  type SkippedFix,
  type SkipReason,
} from "./compiler/fix/apply-fixes.js";
export type { Splice } from "./compiler/fix/splice.js";
export type { FileRead, Host } from "./compiler/host.js";
export {
  type BuildOptions,
  build,
  type Compilation,
  type CompileOptions,
  check,
  compile,
} from "./compiler/pipeline.js";
export {
  type LocatedString,
  type Location,
  type Position,
  positionAt,
  type Source,
} from "./compiler/source/source.js";
export { type DeployOptions, type DeployResult, deployAll } from "./deploy/deploy-all.js";
export { GraphNodeError } from "./deploy/graph-node/graph-node-error.js";
export { createGraphNodeTarget, type GraphNodeAddresses } from "./deploy/graph-node/graph-node-target.js";
export { downloadBuild } from "./deploy/ipfs/download.js";
export { IpfsError } from "./deploy/ipfs/ipfs-error.js";
export { createApiTarget } from "./deploy/management/api-target.js";
export { zipBundle as zipBuild } from "./deploy/management/zip-bundle.js";
export type {
  Deployment,
  DeploymentStatus,
  DeployProgress,
  DeployRequest,
  DeployTarget,
  SubgraphVersion,
} from "./deploy/target.js";
export { type Asc, startAsc } from "./node/asc.js";
export { readBuildFolder } from "./node/build-folder.js";
export { createNodeCache, type NodeCache, type NodeCacheOptions } from "./node/cache.js";
export type { CacheContent } from "./node/cache-entries.js";
export { createNodeHost } from "./node/host.js";
export { type OpenChainOptions, openChain } from "./node/open-chain.js";
export { createNodeHttp } from "./node/world.js";
export { type Block, type BlockPointer, type Chain, ChainError } from "./runtime/chain/chain.js";
export type { BlockOutcome } from "./runtime/indexer/block-runner.js";
export type { HandlerFailure } from "./runtime/indexer/failure.js";
export type { LogLine } from "./runtime/indexer/handler-world.js";
export type { Progress } from "./runtime/indexer/indexer.js";
export { type RunOptions, type RunOutcome, run } from "./runtime/run.js";
export { createMemoryStore } from "./runtime/store/create-memory-store.js";
export { type PlainEntity, type PlainValue, plainEntity } from "./runtime/store/plain-entity.js";
export type { BlockWrites, CreatedDataSource, EntityVersion, Store } from "./runtime/store/store.js";
export { AbortError } from "./runtime/wasm/failures.js";
export { type Adjustments as BuildAdjustments, adjustBuild } from "./subgraph/adjust-build.js";
export { type Build, networkOf } from "./subgraph/build.js";
export { BundleError } from "./subgraph/bundle-error.js";
export { collectBuild as readBuild } from "./subgraph/collect-build.js";
export { type LinkedBuild, linkBuild } from "./subgraph/deployment/link-build.js";
export type { BuiltFiles, BuiltSubgraph } from "./subgraph/runnable/built-subgraph.js";
export { readRunnable as readBuilt } from "./subgraph/runnable/read-runnable.js";
export type { BigDecimal, Entity, EntityChange, StoreValue } from "./subgraph/schema/entity.js";
export { HttpError, type HttpFailure } from "./web/http/http-error.js";
