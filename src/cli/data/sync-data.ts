import { quote } from "../../base/text/quote.js";
import { repeat } from "../../base/text/repeat.js";
import type { World } from "../../base/world.js";
import { type DataChain, dataChainOfName } from "../../data/chains/data-chain.js";
import type { Filling } from "../../data/filling/chain-pipeline.js";
import { fillTokens } from "../../data/filling/fill-tokens.js";
import type { FillingPlace } from "../../data/filling/filling-place.js";
import { beginFilling, OtherStartError, syncChain } from "../../data/filling/sync-chain.js";
import { wrappedNatives } from "../../data/filling/wrapped-natives.js";
import { createNodeWorld } from "../../machine/world.js";
import { openChainSource } from "../../pipelines/host/open-sources.js";
import type { SinkState } from "../../pipelines/runner/sink-state.js";
import { ClickHouseError } from "../../pipelines/sinks/clickhouse-server.js";
import { ChainError } from "../../runtime/chain/chain.js";
import type { Database } from "../../store/database/database.js";
import { DatabaseError } from "../../store/open.js";
import { PipelineDisplay, stateText } from "../pipeline/pipeline-display.js";
import {
  chainReading,
  type NodesReading,
  type PipelineArguments,
  sinkPorts,
} from "../pipeline/pipeline-world.js";
import type { SubgraphArguments } from "../pipeline/sources/open-subgraphs.js";
import { StopReport } from "../pipeline/stop-report.js";
import { reportMissingPackage } from "../pipeline/with-plan.js";
import { openDataNode } from "../reader/open-data-node.js";
import { clickHouseIn, type RowsArguments, withRows } from "../reader/open-rows.js";
import { stayingAlive } from "../terminal/staying-alive.js";
import type { Terminal } from "../terminal/terminal.js";
import { largestBlock } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { withDatabase } from "./open-place.js";

/** Looks up tokens until `end` is called. */
export interface TokenKeeper {
  end(): void;
  /** Resolves after the last look-up. @throws DatabaseError, ClickHouseError */
  done(): Promise<void>;
}

/** Milliseconds between two checks for new tokens. */
const interval = 30_000;

const outages = [ChainError, DatabaseError, ClickHouseError];

export interface SyncDataArguments
  extends SubgraphArguments,
    RowsArguments,
    Omit<PipelineArguments, "state"> {
  readonly chains: string;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly natives: boolean;
  readonly refreshTokens: boolean;
}

/** Fills the tables of the data service until they reach the last block or the user interrupts; returns the exit code. */
export function syncData(args: SyncDataArguments, terminal: Terminal): Promise<number> {
  const chains = readChains(args.chains);
  for (const name of ["from", "to"] as const) checkBlock(name, args[name]);
  if (args.from !== undefined && args.to !== undefined && args.to < args.from)
    throw new UsageError("--to must not be before --from.");
  const clickHouse = clickHouseIn(args, terminal);
  const display = new PipelineDisplay(terminal, () => performance.now());
  // Report missing nodes before creating a database.
  const reading = chainReading(
    chains.map(({ network }) => network),
    args,
    { terminal, display },
  );
  return reportMissingPackage(terminal, () =>
    withDatabase(args, terminal, (database) =>
      withRows(clickHouse, database, terminal, (place) =>
        fill(chains, args, { database, place, reading, display, terminal }),
      ),
    ),
  );
}

interface Places {
  /** With the catalog. */
  readonly database: Database;
  /** With the rows. */
  readonly place: FillingPlace;
  readonly reading: NodesReading;
  readonly display: PipelineDisplay;
  readonly terminal: Terminal;
}

async function fill(
  chains: readonly DataChain[],
  args: SyncDataArguments,
  { database, place, reading, display, terminal }: Places,
): Promise<number> {
  const { close, ...ports } = sinkPorts({}, terminal);
  const ends = new Map<string, SinkState>();
  const stops = new StopReport(terminal.signal, (line) => display.print(line));
  terminal.onWriting(true);
  try {
    const fillings: Filling[] = [];
    for (const { name } of chains) fillings.push(await begin(database, place, name, args));
    await stayingAlive(() =>
      Promise.all(
        fillings.map(async (filling) => {
          let head: number | undefined;
          let isRefreshing = args.refreshTokens;
          const onSeen = (seen: number): void => {
            head = seen;
          };
          const { network } = chains.find(({ name }) => name === filling.chain) ?? { network: "" };
          const node = openDataNode(reading.nodes.get(network), terminal.signal);
          const isNew = (await place.next(filling.chain)) === undefined;
          const wrapped = await wrappedNatives(database, filling.chain, isNew, node);
          const world = {
            ...ports,
            openSource: (
              ...[source, finalOnly, , { onHead }]: Parameters<Parameters<typeof syncChain>[2]["openSource"]>
            ) => openChainSource(source, finalOnly, { ...reading.chains, wrapped, onSeen, onHead }),
          };
          const { lastBlock = Number.POSITIVE_INFINITY } = filling;
          const update = (table: string, state: SinkState): void => {
            const name = tableTitle(filling.chain, table, chains.length);
            if (head !== undefined) display.expect(name, Math.min(head, lastBlock));
            display.update(name, state);
            stops.note(name, state);
          };
          const clock = createNodeWorld(terminal.signal);
          const now = (): number => Math.floor(clock.now() / 1000);
          const tokens = keepTokens(
            async (until) => {
              if (!node) return;
              const asking = { database, moved: place.tokens, chain: filling.chain, node, now };
              await fillTokens(asking, isRefreshing, until);
              isRefreshing &&= until.aborted;
            },
            clock,
            terminal.signal,
          );
          const made = await syncChain(place, filling, world, update, terminal.signal).finally(tokens.end);
          await tokens.done();
          for (const [table, state] of made) ends.set(tableTitle(filling.chain, table, chains.length), state);
        }),
      ),
    );
    display.end();
    // It ends by itself only at a last block. Scripts and logs must notice that, too.
    for (const [name, state] of ends)
      if (state.kind === "ended" && !terminal.signal.aborted)
        terminal.err(`${stateText(name, state)}, done\n`);
    return stops.end(terminal.signal.aborted);
  } finally {
    display.end();
    close();
    terminal.onWriting(false);
  }
}

async function begin(
  database: Database,
  place: FillingPlace,
  chain: string,
  args: SyncDataArguments,
): Promise<Filling> {
  try {
    return await beginFilling(database, place, {
      chain,
      firstBlock: args.from,
      lastBlock: args.to,
      natives: args.natives,
    });
  } catch (error) {
    if (!(error instanceof OtherStartError)) throw error;
    throw new UsageError(
      `--from: the tables of ${chain} begin at block ${error.firstBlock}, and only continue at their end. Leave --from out, or use another database.`,
    );
  }
}

function tableTitle(chain: string, table: string, chains: number): string {
  return chains === 1 ? table : `${chain} ${table}`;
}

/** @throws UsageError */
function readChains(given: string): readonly DataChain[] {
  const names = given.split(",").map((name) => name.trim());
  const chains = names.map((name) => {
    const chain = dataChainOfName(name);
    if (chain) return chain;
    throw new UsageError(
      `--chains: there is no chain ${quote(name)}. graphloom dataset list shows all chains.`,
    );
  });
  const twice = chains.find(({ name }, index) => chains.findIndex((one) => one.name === name) !== index);
  if (twice) throw new UsageError(`--chains: ${twice.name} is given twice.`);
  return chains;
}

/** @throws UsageError */
function checkBlock(option: string, block: number | undefined): void {
  if (block === undefined || (Number.isInteger(block) && block >= 0 && block <= largestBlock)) return;
  throw new UsageError(`--${option} must be the number of a block: 0 to ${largestBlock}.`);
}

/**
 * Looks up tokens now and then, and again at the end. After a failure of a node or a database, it tries again the
 * next time.
 * @param fill looks up new tokens
 * @param signal ends it without a last look-up
 */
export function keepTokens(
  fill: (until: AbortSignal) => Promise<void>,
  world: Pick<World, "timeout">,
  signal: AbortSignal,
): TokenKeeper {
  const ending = new AbortController();
  const all = AbortSignal.any([signal, ending.signal]);
  const look = async (): Promise<void> => {
    try {
      await fill(all);
    } catch (error) {
      if (!outages.some((outage) => error instanceof outage)) throw error;
    }
  };
  const repeated = repeat(interval, world, all, look);
  repeated.catch(() => undefined);
  return {
    end: () => ending.abort(),
    done: async () => {
      await repeated;
      if (signal.aborted) return;
      try {
        await fill(signal);
      } catch (error) {
        // Tables without names are better than none.
        if (!(error instanceof ChainError)) throw error;
      }
    },
  };
}
