import type { BlockPointer } from "../chain/chain.js";
import { DeterministicError, Fault, LeftOutError, RetriedError } from "../errors.js";
import type { Trigger } from "../values.js";
import { HandlerFailure } from "./failure.js";
import { type BlockContext, HandlerWorld } from "./handler-world.js";
import type { ReadAhead } from "./read-ahead/read-ahead.js";
import type { Match } from "./triggers/triggers.js";

/** The context in which a handler runs. */
export interface HandlerContext extends BlockContext {
  /** The trigger that the handler receives for a match. */
  triggerOf(match: Match): Promise<Trigger>;
}

/** Maximum number of faults before a handler fails. */
const mostFaults = 10_000;
/** After how many contract reads, made one after another, the next ones are guessed. */
const readsBeforeGuesses = 4;
/** How many are guessed then, twice as many each time. */
const fewestGuesses = 8;
const mostGuesses = 8_192;

/** Called before a handler of a data source or template runs. */
export type HandlerListener = (handler: string, source: string, block: BlockPointer) => void;

/** Lets threads share processors: a handler runs between `begin` and `end`. */
export interface Turn {
  /** Waits for the turn; `undefined` if there is no need to. */
  begin(): Promise<void> | undefined;
  end(): void;
}

/** Runs handlers. */
export class HandlerRunner {
  readonly #onHandler: HandlerListener;
  readonly #turn: Turn;
  readonly #readAhead: ReadAhead | undefined;
  /** Handlers that have waited for the node before, so that running them ahead prefetches their reads. */
  readonly #asking = new Set<string>();

  /** @param turn by default, no handler waits */
  constructor(
    onHandler: HandlerListener = () => undefined,
    turn: Turn = { begin: () => undefined, end: () => undefined },
    readAhead?: ReadAhead,
  ) {
    this.#readAhead = readAhead;
    this.#onHandler = onHandler;
    this.#turn = turn;
  }

  /** Whether a handler has waited for the node before. */
  asks(match: Match): boolean {
    return this.#asking.has(handlerKey(match));
  }

  /** Runs a handler to find out its reads. Its writes and its failure are discarded. */
  async tryOut(match: Match, context: HandlerContext): Promise<void> {
    const trigger = await context.triggerOf(match);
    const waiting = this.#turn.begin();
    if (waiting) await waiting;
    this.#runAside(match, trigger, context);
  }

  /** Runs a handler in the turn that has begun, ends it, and discards the result. */
  #runAside(match: Match, trigger: Trigger, context: HandlerContext): void {
    this.#tell(match, context);
    try {
      match.source.code.mapping.run(match.handler, trigger, worldOf(match, context));
    } catch {
      // A fault has registered its read. A failure only counts when it is the handler's turn.
    } finally {
      this.#turn.end();
      context.cache.discard();
    }
  }

  /**
   * Runs a handler, and repeats it until all data that it requests has been fetched.
   * @throws ReorgError, ChainError
   */
  async run(match: Match, context: HandlerContext): Promise<HandlerWorld | HandlerFailure> {
    const wrong = mistakeIn(match);
    if (wrong !== undefined) {
      const error = match.kind === "file" ? new LeftOutError(wrong) : new RetriedError(wrong);
      return new HandlerFailure(match, context.block, error, []);
    }
    const trigger = await context.triggerOf(match);
    let reads = 0;
    for (let faults = 0; ; faults++) {
      const world = worldOf(match, context);
      const waiting = this.#turn.begin();
      if (waiting) await waiting;
      const ended = this.#runOnce(match, trigger, world, context);
      if (!(ended instanceof Fault)) return ended ?? world;
      if (faults === mostFaults)
        return new HandlerFailure(
          match,
          context.block,
          new RetriedError("the handler keeps asking for data that it does not have"),
          world.lines,
        );
      if (ended.entity) this.#readAhead?.learn(trigger, ended.entity);
      const asked = context.calls.asked;
      await ended.fetch();
      if (context.calls.asked === asked) continue;
      this.#asking.add(handlerKey(match));
      reads += 1;
      if (reads >= readsBeforeGuesses) await this.#guessReads(match, trigger, context, reads);
    }
  }

  /** Finds out, by a run with guesses, which contracts a handler is about to read. */
  async #guessReads(match: Match, trigger: Trigger, context: HandlerContext, reads: number): Promise<void> {
    const guesses = Math.min(mostGuesses, fewestGuesses * 2 ** (reads - readsBeforeGuesses));
    const waiting = this.#turn.begin();
    if (waiting) await waiting;
    await context.calls.readAhead(guesses, () => this.#runAside(match, trigger, context));
  }

  #tell({ handler, source }: Match, { block }: BlockContext): void {
    this.#onHandler(handler, source.template.name, block);
  }

  /** Runs a handler in the turn that has begun, and ends it. */
  #runOnce(
    match: Match,
    trigger: Trigger,
    world: HandlerWorld,
    context: BlockContext,
  ): Fault | HandlerFailure | undefined {
    const { cache, block } = context;
    this.#tell(match, context);
    try {
      match.source.code.mapping.run(match.handler, trigger, world);
      world.end();
      cache.keep();
      return undefined;
    } catch (error) {
      if (error instanceof Fault) {
        cache.discard();
        return error;
      }
      cache.fail();
      if (
        error instanceof DeterministicError ||
        error instanceof RetriedError ||
        error instanceof LeftOutError ||
        error instanceof RangeError
      ) {
        return new HandlerFailure(match, block, error, world.lines);
      }
      throw error;
    } finally {
      this.#turn.end();
    }
  }
}

/** Why the handler of a match cannot run. As in graph-node, this shows only with the first of its triggers. */
function mistakeIn(match: Match): string | undefined {
  const { handler, source } = match;
  if ((match.kind === "event" || match.kind === "entity") && match.ambiguous !== undefined)
    return `Multiple handlers defined for ${match.kind} \`${match.ambiguous}\`, only one is supported`;
  if ((match.kind === "event" || match.kind === "call") && match.lacking !== undefined) return match.lacking;
  const { module, name } = source.template;
  return source.code.mapping.exports.has(handler)
    ? undefined
    : `${name}: ${module} does not export ${handler}`;
}

function worldOf({ source }: Match, context: BlockContext): HandlerWorld {
  return new HandlerWorld(source, context);
}

function handlerKey({ source, handler }: Match): string {
  return `${source.template.module} ${handler}`;
}
