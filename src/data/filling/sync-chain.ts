import { planDocument } from "../../pipelines/plan/plan-document.js";
import { type PipelineWorld, runSinks } from "../../pipelines/runner/run-sinks.js";
import type { SinkState } from "../../pipelines/runner/sink-state.js";
import { allSinks } from "../../pipelines/sinks/all-sinks.js";
import type { Database } from "../../store/database/database.js";
import { writeRegistry } from "../catalog/catalog-rows.js";
import { nativeTokenOf, wrappedNativeOf } from "../catalog/native-tokens.js";
import type { Filling } from "./chain-pipeline.js";
import type { FillingPlace } from "./filling-place.js";

/** The outside world of filling: everything that a pipeline needs except secrets. */
export type FillingWorld = Omit<PipelineWorld, "secret">;

/** What to fill for a chain. Omitted parts stay as in its first filling. */
export interface WantedFilling extends Pick<Filling, "chain" | "lastBlock"> {
  readonly firstBlock?: number | undefined;
  readonly natives?: boolean | undefined;
}

/** The tables begin at a different block than requested. */
export class OtherStartError extends Error {
  override readonly name = "OtherStartError";
  readonly chain: string;
  readonly firstBlock: number;

  constructor(chain: string, firstBlock: number) {
    super(`the tables of ${chain} begin at block ${firstBlock}`);
    this.chain = chain;
    this.firstBlock = firstBlock;
  }
}

/**
 * Makes sure that a chain has tables, and records where they begin.
 * @param database the database with the catalog
 * @param place the store of the tables
 * @returns what to fill; by default, new tables begin at block 0, with native transfers
 * @throws OtherStartError if they begin at a different block than requested; DatabaseError, and errors of the store
 */
export async function beginFilling(
  database: Database,
  place: FillingPlace,
  wanted: WantedFilling,
): Promise<Filling> {
  const { chain, lastBlock } = wanted;
  await place.createTables(chain);
  await place.add({
    chain,
    firstBlock: wanted.firstBlock ?? 0,
    natives: wanted.natives ?? true,
  });
  const native = nativeTokenOf(chain);
  const wrapped = wrappedNativeOf(chain);
  await writeRegistry(
    database,
    [native, wrapped].filter((token) => token !== undefined),
    true,
  );
  const found = await place.find(chain);
  const { firstBlock = 0, natives: hadNatives = true } = found ?? {};
  if (wanted.firstBlock !== undefined && wanted.firstBlock !== firstBlock)
    throw new OtherStartError(chain, firstBlock);
  const natives = wanted.natives ?? hadNatives;
  if (natives && !hadNatives) await place.addNatives(chain);
  return { chain, firstBlock, lastBlock, natives };
}

/**
 * Fills the tables of a chain with a pipeline, from their positions on, and follows the chain's head. Each table is
 * filled at its own pace, keeps its position, and follows reorganisations.
 * @param place the store of the tables; it stays open
 * @param onState receives every change of a table's state, with the name of its sink
 * @returns how the filling of each table ended
 * @throws PackageMissingError without an engine for SQL
 */
export async function syncChain(
  place: FillingPlace,
  filling: Filling,
  world: FillingWorld,
  onState: (table: string, state: SinkState) => void,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, SinkState>> {
  const plan = await planDocument(place.flow(filling), {
    openEngine: () => world.openEngine(),
    sinkTypes: allSinks,
  });
  const ends = await runSinks(plan, { ...world, ...place.ports }, onState, signal);
  const isOver = !signal.aborted && [...ends.values()].every(({ kind }) => kind === "ended");
  const { chain, lastBlock } = filling;
  // With a last block, filling ends when it is final. Tables that had later blocks before stay unchanged.
  if (isOver && lastBlock !== undefined) await place.settle(chain, lastBlock);
  return ends;
}
