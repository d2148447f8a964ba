import { LeftOutError } from "../errors.js";
import type { ActiveSources } from "./active-sources.js";
import type { BlockResults } from "./block-results.js";
import { HandlerFailure } from "./failure.js";
import { fileContext } from "./file-context.js";
import type { FileFinder } from "./file-finder.js";
import type { FileSource } from "./file-sources.js";
import type { HandlerContext, HandlerRunner } from "./handler-runner.js";

/** What files are handled with. */
export interface FileRunnerOptions {
  readonly sources: Pick<ActiveSources, "files">;
  readonly finder: FileFinder;
}

/** Runs the handlers of files, after all others of a block. */
export class FileRunner {
  readonly #options: FileRunnerOptions;
  readonly #handlers: HandlerRunner;

  constructor(options: FileRunnerOptions, handlers: HandlerRunner) {
    this.#options = options;
    this.#handlers = handlers;
  }

  /**
   * Runs the handlers of the files that are there, in the order in which their data sources were created; then those of
   * the data sources that they create, until there are none.
   * One that fails in the block that created its data source is run again in the next one, whose failure it is then, as on
   * a graph-node, which has files wait for that block. What asked for what it cannot have is left out.
   * @param isLast whether the run ends with this block: all files are waited for
   * @returns the handler that failed, if one did
   * @throws ChainError where no files can be had at all
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
      const paths = wanted(pending, context.block.number);
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

  /** Runs the handler of a file, in a world of its own. */
  async #runOne(
    { source, region }: FileSource,
    content: Uint8Array,
    context: HandlerContext,
    done: BlockResults,
  ): Promise<HandlerFailure | undefined> {
    const { handler = "" } = source.template.file ?? {};
    const ended = await this.#handlers.run({ kind: "file", source, handler, content }, context);
    done.add(ended);
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

/** The files that are wanted, and whether a block waits for them: for those whose data sources it has created. */
function wanted(pending: readonly FileSource[], block: number): ReadonlyMap<string, boolean> {
  const paths = new Map<string, boolean>();
  for (const { path, creationBlock } of pending) {
    paths.set(path, paths.get(path) === true || creationBlock === block);
  }
  return paths;
}
