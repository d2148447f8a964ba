import type { EntitySchema } from "../../subgraph/schema/entity-schema.js";
import type { Block, Chain } from "../chain/chain.js";
import { DeterministicError, Fault } from "../errors.js";
import type { Files } from "../files/files.js";
import type { UnknownFields } from "../store/check-entity.js";
import { EntityCache } from "../store/entity-cache.js";
import { EntityError } from "../store/entity-error.js";
import { type ReadBack, readBackOf } from "../store/read-back.js";
import type { BlockWrites, CreatedDataSource, EntityLookup } from "../store/store.js";
import type { Trigger } from "../values.js";
import type { ActiveSource } from "./active-source.js";
import type { ActiveSources } from "./active-sources.js";
import { BlockCalls } from "./block-calls.js";
import { BlockFiles } from "./block-files.js";
import { blockTriggerMaker } from "./block-trigger-maker.js";
import type { BlockTriggers } from "./block-triggers.js";
import { isBearable } from "./borne-failures.js";
import { HandlerFailure } from "./failure.js";
import { type BlockContext, HandlerWorld, type LogLine } from "./handler-world.js";
import { type Match, matchTriggers, type OfferedSources } from "./triggers.js";

/** The outcome of running a block. */
export interface BlockOutcome {
  readonly writes: BlockWrites;
  /** How many handlers ran. */
  readonly handlers: number;
  /** How many contract reads were sent to the node. */
  readonly reads: number;
  readonly lines: readonly LogLine[];
  /** The first handler that failed; the writes of the whole block are to be discarded. */
  readonly failure?: HandlerFailure;
  /** Handlers that failed and are borne: what they did is dropped, and nothing else of the block. */
  readonly errors: readonly HandlerFailure[];
}

/** What a block is run with. */
export interface BlockRunnerOptions {
  readonly chain: Chain;
  /** Where the files of IPFS come from; nowhere without it. */
  readonly files?: Files | undefined;
  readonly store: EntityLookup;
  readonly schema: EntitySchema;
  readonly network: string;
  readonly sources: ActiveSources;
  /** How fields that the schema lacks are treated. */
  readonly unknownFields: UnknownFields;
  /** Whether indexing goes on when a handler fails as it would on every node. */
  readonly bearsFailures: boolean;
  /** Gets what a block holds for sources that were created in it. */
  triggersFor(sources: readonly ActiveSource[], block: Block): Promise<BlockTriggers>;
}

/** Results of the handlers of a block so far. */
interface Done {
  readonly lines: LogLine[];
  readonly created: CreatedDataSource[];
  readonly errors: HandlerFailure[];
  handlers: number;
}

/** A block while its handlers run. */
interface RunningBlock extends BlockContext {
  /** The trigger that a handler gets for a match. */
  triggerOf(match: Match): Promise<Trigger>;
}

/** Faults after which a handler is given up. */
const mostFaults = 10_000;

/** Runs the handlers of one block. */
export class BlockRunner {
  readonly #options: BlockRunnerOptions;
  /** Handlers that have faulted before: worth running ahead to prefetch their reads. */
  readonly #asking = new Set<string>();
  readonly #readBack: ReadBack;

  constructor(options: BlockRunnerOptions) {
    this.#options = options;
    this.#readBack = readBackOf(options.schema);
  }

  /**
   * Runs all handlers of a block, without writing to the store.
   * @throws ReorgError, ChainError; DeterministicError when a call or a declared call does not match its ABI;
   * EntityError
   * when only the end of the block shows that an entity must not be written
   */
  async run(block: Block, triggers: BlockTriggers): Promise<BlockOutcome> {
    const { sources } = this.#options;
    const context = this.#contextFor(block);
    const done: Done = { lines: [], created: [], errors: [], handlers: 0 };
    try {
      const failure = await this.#runAll(block, triggers, context, done);
      const { lines, handlers, errors } = done;
      const counts = { handlers, reads: context.calls.asked, lines, errors };
      if (failure) {
        sources.dropCreatedAfter(block.number - 1);
        return { ...counts, writes: { changes: [], dataSources: [] }, failure };
      }
      const changes = this.#readBack(await context.cache.changes());
      return { ...counts, writes: { changes, dataSources: done.created } };
    } catch (error) {
      // The block will be run again and create its sources then.
      sources.dropCreatedAfter(block.number - 1);
      throw error;
    }
  }

  #contextFor(block: Block): RunningBlock {
    const { chain, files, store, schema, network, sources, unknownFields } = this.#options;
    return {
      block: { number: block.number, hash: block.hash },
      network,
      cache: new EntityCache(schema, store, block, { unknownFields }),
      calls: new BlockCalls(chain, block),
      files: new BlockFiles(files),
      triggerOf: blockTriggerMaker(block, chain),
      checkTemplate: (name) => void sources.template(name),
    };
  }

  /** Runs the handlers of all sources, then those of the sources created by them, until none are created. */
  async #runAll(
    block: Block,
    triggers: BlockTriggers,
    context: RunningBlock,
    done: Done,
  ): Promise<HandlerFailure | undefined> {
    const { sources, bearsFailures, triggersFor } = this.#options;
    let offered: OfferedSources = sources;
    let found = triggers;
    for (;;) {
      const matches = matchTriggers(found, block.number, offered);
      await this.#readAhead(matches, context);
      const added = new Set<ActiveSource>();
      for (const match of matches) {
        const ended = await this.#runHandler(match, context);
        done.handlers += 1;
        // Not by spread: there may be more lines than a call allows arguments.
        for (const line of ended.lines) done.lines.push(line);
        if (ended instanceof HandlerFailure) {
          if (!bearsFailures || !isBearable(match, ended)) return ended;
          done.errors.push(ended);
          continue;
        }
        for (const one of ended.created) {
          const source = sources.create(one);
          if (!source) continue;
          done.created.push(one);
          added.add(source);
        }
      }
      if (added.size === 0) return undefined;
      found = await triggersFor([...added], block);
      offered = amongAdded(sources, added);
    }
  }

  /** Makes the declared calls, and the first reads of handlers that are known to fault, all at once. */
  async #readAhead(matches: readonly Match[], context: RunningBlock): Promise<void> {
    for (const match of matches) {
      if (match.kind !== "event") continue;
      for (const plan of match.prepared.calls) {
        const { address, data } = plan(match.log, match.params);
        context.calls.want({ address, data });
      }
    }
    await context.calls.fetchWanted();
    if (matches.length < 2) return;
    for (const match of matches) {
      if (this.#asking.has(keyOf(match))) await this.#tryOut(match, context);
    }
    await context.calls.fetchWanted();
  }

  /** Runs a handler to find out its reads. Its writes are discarded, and so is its failure. */
  async #tryOut(match: Match, context: RunningBlock): Promise<void> {
    const trigger = await context.triggerOf(match);
    try {
      match.source.code.mapping.run(match.handler, trigger, worldOf(match, context));
    } catch {
      // A fault has recorded its read; a failure only counts when the handler's turn comes.
    } finally {
      context.cache.discard();
    }
  }

  async #runHandler(match: Match, context: RunningBlock): Promise<HandlerWorld | HandlerFailure> {
    if (match.kind === "event" && match.ambiguous !== undefined) {
      const message = `Multiple handlers defined for event \`${match.ambiguous}\`, only one is supported`;
      return new HandlerFailure(match, context.block, new DeterministicError(message), []);
    }
    const trigger = await context.triggerOf(match);
    for (let faults = 0; ; faults++) {
      const world = worldOf(match, context);
      const ended = this.#runOnce(match, trigger, world, context);
      if (!(ended instanceof Fault)) return ended ?? world;
      if (faults === mostFaults)
        return new HandlerFailure(match, context.block, new Error("it never stops asking"), world.lines);
      this.#asking.add(keyOf(match));
      await ended.fetch();
    }
  }

  #runOnce(
    match: Match,
    trigger: Trigger,
    world: HandlerWorld,
    { cache, block }: BlockContext,
  ): Fault | HandlerFailure | undefined {
    try {
      match.source.code.mapping.run(match.handler, trigger, world);
      cache.keep();
      return undefined;
    } catch (error) {
      cache.discard();
      if (error instanceof Fault) return error;
      if (
        error instanceof DeterministicError ||
        error instanceof EntityError ||
        error instanceof RangeError
      ) {
        return new HandlerFailure(match, block, error, world.lines);
      }
      throw error;
    }
  }
}

function amongAdded(sources: OfferedSources, added: ReadonlySet<ActiveSource>): OfferedSources {
  return {
    at: (address) => sources.at(address).filter((source) => added.has(source)),
    onBlocks: sources.onBlocks.filter((source) => added.has(source)),
  };
}

function worldOf({ source }: Match, context: BlockContext): HandlerWorld {
  return new HandlerWorld(source, context);
}

function keyOf({ source, handler }: Match): string {
  return `${source.template.module} ${handler}`;
}
