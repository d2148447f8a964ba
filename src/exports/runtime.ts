export { type OpenChainOptions, openChain } from "../machine/open-chain.js";
export { type OpenFilesOptions, openFiles, openIpfs } from "../machine/open-files.js";
export { type Block, type BlockPointer, type Chain, ChainError } from "../runtime/chain/chain.js";
export { type EnsNames, ensNamesOf } from "../runtime/ens/ens-names.js";
export type { Files } from "../runtime/files/files.js";
export type { Gateways } from "../runtime/files/gateway-files.js";
export type { BlockOutcome } from "../runtime/indexer/block-runner.js";
export type { HandlerFailure } from "../runtime/indexer/failure.js";
export type { LogLine } from "../runtime/indexer/handler-world.js";
export type { Progress } from "../runtime/indexer/indexer.js";
export type { VerifyMode } from "../runtime/indexer/logs/verification.js";
export { type RunOptions, type RunOutcome, run } from "../runtime/run-subgraph.js";
export { createMemoryStore } from "../runtime/store/create-memory-store.js";
export { type PlainEntity, type PlainValue, plainEntity } from "../runtime/store/plain-entity.js";
export type {
  BlockWrites,
  CommitOptions,
  CreatedDataSource,
  EntityCounts,
  EntityVersion,
  HandlerRuns,
  Store,
  WrittenBlock,
} from "../runtime/store/store.js";
export { AbortError } from "../runtime/wasm/failures.js";
export type { BuiltFiles, BuiltSubgraph } from "../subgraph/runnable/built-subgraph.js";
export { readRunnable as readBuilt } from "../subgraph/runnable/read-runnable.js";
export type { BigDecimal, Entity, EntityChange, StoreValue } from "../subgraph/schema/entity.js";
