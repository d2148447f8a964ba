import type { BlockHandler } from "../../../subgraph/runnable/built-subgraph.js";
import { type ActiveSource, listensAt } from "../active-source.js";

/** The handler that a source runs before all others in a block. */
export function firstHandler(source: ActiveSource, block: number): string | undefined {
  if (block !== source.onceBlock || !listensAt(source, block)) return undefined;
  return handlersOf(source).find(({ filter }) => filter.kind === "once")?.handler;
}

/** The handler that a source runs after all others in a block; of several, the first one in the manifest. */
export function lastHandler(source: ActiveSource, block: number): string | undefined {
  if (!listensAt(source, block)) return undefined;
  const age = block - source.startBlock;
  return handlersOf(source).find(
    ({ filter }) => filter.kind === "all" || (filter.kind === "polling" && age % filter.every === 0),
  )?.handler;
}

/** The handler that a source runs in a block that contains a call to its address. */
export function calledHandler(source: ActiveSource, block: number): string | undefined {
  if (!listensAt(source, block)) return undefined;
  return handlersOf(source).find(({ filter }) => filter.kind === "call")?.handler;
}

/**
 * The blocks of a range, both ends inclusive, that sources need even without logs: for block handlers, and for calls,
 * which can only be found in the block itself.
 */
export function demandedBlocks(
  sources: readonly ActiveSource[],
  from: number,
  to: number,
): ReadonlySet<number> {
  const demanded = new Set<number>();
  for (const source of sources) {
    const { startBlock, onceBlock } = source;
    const first = Math.max(from, startBlock);
    const last = Math.min(to, source.endBlock);
    if (first > last) continue;
    const isFirst = onceBlock >= first && onceBlock <= last;
    if (isFirst && handlersOf(source).some(({ filter }) => filter.kind === "once")) demanded.add(onceBlock);
    for (const interval of intervalsOf(source)) {
      const next = startBlock + Math.ceil((first - startBlock) / interval) * interval;
      for (let block = next; block <= last; block += interval) demanded.add(block);
    }
    if (demanded.size > to - from) break;
  }
  return demanded;
}

/** The intervals, in blocks from its first block, at which a source needs a block. */
function intervalsOf(source: ActiveSource): readonly number[] {
  if (source.template.callHandlers.length > 0) return [1];
  return handlersOf(source).flatMap(({ filter }) => {
    if (filter.kind === "once") return [];
    return filter.kind === "polling" ? filter.every : 1;
  });
}

function handlersOf({ template }: ActiveSource): readonly BlockHandler[] {
  return template.blockHandlers;
}
