import type { PipelineWorld } from "../../pipelines/runner/run-sinks.js";
import type { BlockPointer } from "../../runtime/chain/chain.js";
import type { FilledChain } from "../chains/filled-chains.js";
import type { Filling } from "./chain-pipeline.js";

/** A database that holds the rows of chains. */
export interface FillingPlace {
  /** Creates the tables of a chain that are missing. */
  createTables(chain: string): Promise<void>;
  /** Finds a chain that has tables. */
  find(chain: string): Promise<FilledChain | undefined>;
  /** Records that a chain has tables; an existing record stays unchanged. */
  add(chain: FilledChain): Promise<void>;
  /** Records that native transfers of a chain are read from now on. */
  addNatives(chain: string): Promise<void>;
  /** The definition of the pipeline that fills the tables of a chain. */
  flow(filling: Filling): { readonly name: string } & Readonly<Record<string, unknown>>;
  /** The next block of transfers; `undefined` before any was read. */
  next(chain: string): Promise<number | undefined>;
  /** Records that the blocks of tables that end with a block are final. */
  settle(chain: string, lastBlock: number): Promise<void>;
  /** The ports that open the pipeline's sinks. */
  readonly ports: Pick<PipelineWorld, "secret"> & Partial<Pick<PipelineWorld, "openDatabase">>;
  readonly tokens: MovedTokens;
}

/** The tokens that chains have moved, and the last block whose tokens were looked up. */
export interface MovedTokens {
  /** How many blocks to search at once. */
  readonly span: number;
  /**
   * The last block with transfers in the table, which may be behind the table of blocks, or -1; and the newest block,
   * whose state nodes still have.
   */
  head(chain: string): Promise<{ readonly last: number; readonly newest: BlockPointer } | undefined>;
  /** The hash of the canonical block with a number. */
  hashOf(chain: string, number: number): Promise<string | undefined>;
  /**
   * Some of the tokens that were moved between two blocks, both included, once each: at least all unknown ones, and
   * tokens that are marked as having no transfers.
   */
  between(chain: string, from: number, to: number): Promise<readonly string[]>;
  /** The last block whose tokens have been looked up; -1 before the first run. */
  noted(chain: string): Promise<number>;
  note(chain: string, block: number): Promise<void>;
}
