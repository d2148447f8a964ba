import { DeterministicError, LeftOutError } from "../errors.js";
import type { ActiveSources } from "./active-sources.js";
import type { BlockResults } from "./block-results.js";
import { HandlerFailure } from "./failure.js";
import type { FileFinder } from "./files/file-finder.js";
import type { FileSource } from "./files/file-sources.js";
import type { HandlerContext, HandlerRunner } from "./handler-runner.js";
import type { BlockContext } from "./handler-world.js";

/** Options for running file handlers. */
export interface FileRunnerOptions {
  readonly sources: Pick<ActiveSources, "files">;
  readonly finder: FileFinder;
}

/** Runs file handlers, after all other handlers of a block. */
export class FileRunner {
  readonly #options: FileRunnerOptions;
  readonly #handlers: HandlerRunner;

  constructor(options: FileRunnerOptions, handlers: HandlerRunner) {
    this.#options = options;
    this.#handlers = handlers;
  }

  /**
   * Runs the handlers of the files that were found, in the order in which their data sources were created. Then it runs
   * those of the data sources that they create, until they create none.
   * A handler that fails in the block that created its data source runs again in the next block, which then fails. This
   * matches graph-node, where files wait for that block. A file whose handler requested something forbidden is skipped.
   * @param isLast whether the run ends with this block, which then waits for all files
   * @returns the failed handler, if any
   * @throws NoGatewayError
   */
  async run(
    context: HandlerContext,
    done: BlockResults,
    isLast: boolean,
  ): Promise<HandlerFailure | undefined> {
    const { sources, finder } = this.#options;
    let { cache } = context;
    const postponed = new Set<number>();
    finder.nextBlock();
    for (;;) {
      const pending = sources.files.pending.filter(({ region }) => !postponed.has(region));
      const paths = wantedFiles(pending, context.block.number);
      await finder.look(paths);
      if (isLast) await finder.wait([...paths.keys()]);
      const found = pending.flatMap((file) => {
        const content = finder.content(file.path);
        return content ? [{ file, content }] : [];
      });
      if (found.length === 0) return undefined;
      for (const { file, content } of found) {
        cache = cache.alone();
        const failure = await this.#runOne(file, content, { ...fileContext(context), cache }, done);
        if (!failure) continue;
        if (isLast || file.creationBlock < context.block.number) return failure;
        postponed.add(file.region);
      }
    }
  }

  /** Runs the handler of a file in its own world. */
  async #runOne(
    { source, region }: FileSource,
    content: Uint8Array,
    context: HandlerContext,
    done: BlockResults,
  ): Promise<HandlerFailure | undefined> {
    const { handler = "" } = source.template.file ?? {};
    const match = { kind: "file", source, handler, content } as const;
    const ended = await this.#handlers.run(match, context);
    done.add(match, ended, ended instanceof HandlerFailure ? undefined : context.cache.stored);
    const isLeftOut = ended instanceof HandlerFailure && ended.error instanceof LeftOutError;
    if (ended instanceof HandlerFailure && !isLeftOut) return ended;
    this.#options.sources.files.markDone(region, context.block.number);
    done.filesDone.push(region);
    if (ended instanceof HandlerFailure) {
      const { handler, error } = ended;
      done.lines.push({
        level: "error",
        message: `A file was skipped because ${handler} failed: ${error.message}`,
      });
      return undefined;
    }
    done.create(ended.created);
    for (const change of await context.cache.changes()) done.fileChanges.push({ ...change, region });
    return undefined;
  }
}

/** The pending files, and whether the block waits for each: it does if it created the data source. */
function wantedFiles(pending: readonly FileSource[], block: number): ReadonlyMap<string, boolean> {
  const paths = new Map<string, boolean>();
  for (const { path, creationBlock } of pending) {
    paths.set(path, paths.get(path) === true || creationBlock === block);
  }
  return paths;
}

/** The context of a block for file handlers: no access to the chain, and only file data sources can be created. */
function fileContext<Context extends BlockContext>(
  context: Context,
): Omit<Context, "calls"> & Pick<BlockContext, "calls" | "templateOf"> {
  return {
    ...context,
    calls: {
      answer: () => refuse("ethereum.call"),
      balance: () => refuse("ethereum.getBalance"),
      hasCode: () => refuse("ethereum.hasCode"),
      asked: 0,
      readAhead: async () => undefined,
    },
    templateOf: (name) => {
      const template = context.templateOf(name);
      if (template.file) return template;
      throw new DeterministicError(
        `a file handler cannot create ${name}, because it is an on-chain data source`,
      );
    },
  };
}

function refuse(name: string): never {
  throw new LeftOutError(`a file handler cannot call \`${name}\`, because it has no access to the chain`);
}
