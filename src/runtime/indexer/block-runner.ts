import type { EntityChange } from "../../subgraph/schema/entity.js";
import type { EntitySchema } from "../../subgraph/schema/entity-schema.js";
import type { Block, BlockPointer, Chain } from "../chain/chain.js";
import type { EnsNames } from "../ens/ens-names.js";
import type { Files } from "../files/files.js";
import type { ProofStream } from "../poi/proof-of-indexing.js";
import type { UnknownFields } from "../store/check-entity.js";
import { EntityCache } from "../store/entity-cache.js";
import { ImmutableError } from "../store/entity-error.js";
import { type ReadBack, readBackOf } from "../store/read-back.js";
import type { BlockWrites, EntityLookup, HandlerRuns } from "../store/store.js";
import type { ActiveSource } from "./active-source.js";
import type { ActiveSources } from "./active-sources.js";
import { BlockEvents } from "./block-events.js";
import { BlockNames } from "./block-names.js";
import { BlockResults } from "./block-results.js";
import { isBearable } from "./borne-failures.js";
import type { EncodedCall } from "./contracts.js";
import { HandlerFailure } from "./failure.js";
import { FileRunner } from "./file-runner.js";
import { BlockFiles } from "./files/block-files.js";
import type { FileFinder } from "./files/file-finder.js";
import { type HandlerContext, type HandlerListener, HandlerRunner, type Turn } from "./handler-runner.js";
import type { LogLine } from "./handler-world.js";
import type { ReadAhead } from "./read-ahead/read-ahead.js";
import type { BlockReads } from "./triggers/block-calls.js";
import { blockTriggerMaker } from "./triggers/block-trigger-maker.js";
import type { BlockTriggers } from "./triggers/block-triggers.js";
import { type Match, matchTriggers, type OfferedSources } from "./triggers/triggers.js";

export interface BlockOutcome {
  readonly writes: BlockWrites;
  /** The number of handlers that ran. */
  readonly handlers: number;
  /** How often each handler ran. */
  readonly runs: readonly HandlerRuns[];
  /** The number of contract reads sent to the node. */
  readonly reads: number;
  readonly lines: readonly LogLine[];
  /**
   * The first handler that failed, or a later one whose failure is not deterministic. Discard the writes of the whole
   * block.
   */
  readonly failure?: HandlerFailure;
  /** With a deterministic failure, the digest of the proof of indexing after the block. */
  readonly proofDigest?: Uint8Array;
  /** Handlers whose failures are tolerated: their own changes are dropped, but the rest of the block is kept. */
  readonly errors: readonly HandlerFailure[];
}

export interface BlockRunnerOptions {
  readonly chain: Pick<Chain, "receipt">;
  /** The contract reads of a block. */
  callsOf(block: BlockPointer): BlockReads;
  /** The source of files, if any. */
  readonly files?: Files | undefined;
  /** The source of ENS names, if any. */
  readonly names?: EnsNames | undefined;
  /** Finds the files of file data sources. */
  readonly finder: FileFinder;
  readonly store: EntityLookup;
  readonly schema: EntitySchema;
  readonly network: string;
  readonly sources: ActiveSources;
  /** How to treat fields that the schema lacks. */
  readonly unknownFields: UnknownFields;
  /** Whether handlers may read balances and code of accounts. */
  readonly readsAccounts: boolean;
  readonly onHandler?: HandlerListener | undefined;
  /** Where handlers share processors with those of other threads. */
  readonly turn?: Turn | undefined;
  /** Learns which entities handlers read. */
  readonly readAhead?: ReadAhead | undefined;
  /** Whether indexing continues after a deterministic failure of a handler. */
  readonly bearsFailures: boolean;
  /** Hashes what handlers do, if the store keeps proofs of indexing. */
  readonly proofs?: ProofStream | undefined;
  /** Finds the triggers of a block for sources that were created in it. */
  triggersFor(sources: readonly ActiveSource[], block: Block): Promise<BlockTriggers>;
}

/** A block while its handlers run. */
interface RunningBlock extends HandlerContext {
  readonly calls: BlockReads;
  /** The handlers that succeeded, and the number of operations on entities at that moment. */
  readonly ended: { readonly match: Match; readonly operations: number }[];
  readonly events: BlockEvents;
}

/** Runs the handlers of one block. */
export class BlockRunner {
  readonly #options: BlockRunnerOptions;
  readonly #handlers: HandlerRunner;
  readonly #files: FileRunner;
  readonly #readBack: ReadBack;

  constructor(options: BlockRunnerOptions) {
    this.#options = options;
    this.#handlers = new HandlerRunner(options.onHandler, options.turn, options.readAhead);
    this.#files = new FileRunner(options, this.#handlers);
    this.#readBack = readBackOf(options.schema);
  }

  /**
   * Runs all handlers of a block without writing to the store. The handlers of files that have been found run last.
   * @param isLast whether the run ends with this block; the block then waits for files
   * @throws ReorgError, ChainError; DeterministicError when a call or a declared call does not match its ABI;
   * EntityError when an entity turns out to be invalid only at the end of the block
   */
  async run(block: Block, triggers: BlockTriggers, isLast = false): Promise<BlockOutcome> {
    const { sources, readAhead } = this.#options;
    readAhead?.reach(block.number);
    const context = this.#contextFor(block);
    const done = new BlockResults(sources);
    try {
      const ended = await this.#runAll(block, triggers, context, done);
      // As in graph-node, a later failure decides if it is not deterministic.
      const later = isFinal(ended) ? undefined : await this.#files.run(context, done, isLast);
      const own = later ?? ended ?? (await changesOf(context));
      const { lines, handlers, runs, errors } = done;
      const counts = { handlers, runs, reads: context.calls.asked, lines, errors };
      if (own instanceof HandlerFailure) {
        sources.dropCreatedAfter(block.number - 1);
        const proofDigest = own === ended ? await this.#digestOf(context) : undefined;
        return {
          ...counts,
          writes: { changes: [], dataSources: [] },
          failure: own,
          ...(proofDigest && { proofDigest }),
        };
      }
      const changes = this.#readBack([...own, ...done.fileChanges]);
      const { created: dataSources, filesDone } = done;
      const proofDigest = await this.#digestOf(context);
      return {
        ...counts,
        writes: {
          changes,
          dataSources,
          ...(filesDone.length > 0 && { filesDone }),
          ...(proofDigest && { proofDigest }),
        },
      };
    } catch (error) {
      // The next run of the block creates its sources again.
      sources.dropCreatedAfter(block.number - 1);
      throw error;
    }
  }

  #contextFor(block: Block): RunningBlock {
    const {
      chain,
      callsOf,
      files,
      names,
      store,
      schema,
      network,
      sources,
      unknownFields,
      readsAccounts,
      proofs,
    } = this.#options;
    return {
      block: { number: block.number, hash: block.hash },
      network,
      cache: new EntityCache(schema, store, block, { unknownFields, notesEvents: proofs !== undefined }),
      events: new BlockEvents(),
      calls: callsOf(block),
      readsAccounts,
      ended: [],
      files: new BlockFiles(files),
      names: new BlockNames(names),
      triggerOf: blockTriggerMaker(block, chain),
      templateOf: (name) => sources.template(name),
    };
  }

  /**
   * Runs the handlers of all sources, then those of the sources that they create, until they create none. As in
   * graph-node, the other handlers of the block still run after a deterministic failure.
   * @returns the failure that ended the block early, or the first deterministic one
   */
  async #runAll(
    block: Block,
    triggers: BlockTriggers,
    context: RunningBlock,
    done: BlockResults,
  ): Promise<HandlerFailure | undefined> {
    const { sources, bearsFailures, triggersFor } = this.#options;
    let offered: OfferedSources = sources;
    let found = triggers;
    let first: HandlerFailure | undefined;
    for (;;) {
      const matches = matchTriggers(found, block.number, offered);
      await this.#readAhead(matches, context);
      const added = new Set<ActiveSource>();
      for (const match of matches) {
        const ended = await this.#handlers.run(match, context);
        context.events.add(match, context.cache.takeEvents(), ended instanceof HandlerFailure);
        done.add(match, ended, ended instanceof HandlerFailure ? undefined : context.cache.stored);
        if (ended instanceof HandlerFailure) {
          if (isFinal(ended)) return ended;
          if (bearsFailures) done.errors.push(ended);
          else first ??= ended;
          continue;
        }
        context.ended.push({ match, operations: context.cache.operations });
        for (const source of done.create(ended.created)) if (!source.template.file) added.add(source);
      }
      context.events.endTrigger();
      if (added.size === 0) return first;
      found = await triggersFor([...added], block);
      offered = amongAdded(sources, added);
    }
  }

  /** The digest of the proof of indexing after a block; `undefined` if no handler ran. */
  async #digestOf({ block, events }: RunningBlock): Promise<Uint8Array | undefined> {
    const { proofs, store } = this.#options;
    const all = proofs && events.end();
    return all && proofs.digestOf(block.number, all, await store.proofDigest?.());
  }

  /** Makes, all at once, the declared calls and the first reads of handlers that have faulted before. */
  async #readAhead(matches: readonly Match[], context: RunningBlock): Promise<void> {
    for (const match of matches) {
      for (const { address, data } of declaredCalls(match)) context.calls.want({ address, data });
    }
    await context.calls.fetchWanted();
    if (matches.length < 2) return;
    for (const match of matches) {
      if (this.#handlers.asks(match)) await this.#handlers.tryOut(match, context);
    }
    await context.calls.fetchWanted();
  }
}

/** The changes by the handlers, or the failure of the one that made a forbidden change. @throws EntityError */
async function changesOf({
  cache,
  ended,
  block,
}: RunningBlock): Promise<readonly EntityChange[] | HandlerFailure> {
  try {
    return await cache.changes();
  } catch (error) {
    const culprit =
      error instanceof ImmutableError && ended.find(({ operations }) => operations > error.operation);
    if (!culprit) throw error;
    return new HandlerFailure(culprit.match, block, error, []);
  }
}

/** The calls that the manifest declares for the handler of a match. @throws DeterministicError */
function declaredCalls(match: Match): readonly EncodedCall[] {
  if (match.kind === "event") return match.prepared.calls.map((plan) => plan(match.log, match.params));
  return match.kind === "entity" ? match.prepared.calls.map((plan) => plan(match.entity)) : [];
}

/** Whether a failure ends its block at once. */
function isFinal(failure: HandlerFailure | undefined): boolean {
  return failure !== undefined && !isBearable(failure);
}

function amongAdded(sources: OfferedSources, added: ReadonlySet<ActiveSource>): OfferedSources {
  return {
    at: (address) => sources.at(address).filter((source) => added.has(source)),
    onBlocks: sources.onBlocks.filter((source) => added.has(source)),
  };
}
