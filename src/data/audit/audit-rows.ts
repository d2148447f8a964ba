import type { Database } from "../../store/database/database.js";
import { findFilledChain } from "../chains/filled-chains.js";
import type { KnownBlock } from "../chains/known-block.js";
import { PostgresReads } from "../reads/postgres-reads.js";
import {
  type Draw,
  type DrawnHolding,
  drawHoldings,
  type MovedInBlock,
  movesOfHolding,
  startOf,
} from "./drawn-holdings.js";

/** Drawn wallets, with their holdings at a block according to their transfers. */
export interface Drawn {
  /** The newest block that the tables agree on. */
  readonly block: KnownBlock;
  /** Grouped by token. */
  readonly holdings: readonly DrawnHolding[];
  /** The last block before the first transfers of the tables; without a hash if it is not known. */
  readonly start: { readonly number: number; readonly hash: string | undefined };
}

/** An audit's reads from the tables of chains. Methods throw the errors of the database. */
export interface AuditRows {
  /** Draws wallets, all as of one moment; `undefined` if the chain has no data. */
  draw(draw: Draw): Promise<Drawn | undefined>;
  /** The blocks in which a wallet moved a token, up to a given block: newest first, at most `mostMoves`. */
  moves(
    chain: string,
    holding: Pick<DrawnHolding, "wallet" | "token">,
    block: number,
  ): Promise<readonly MovedInBlock[]>;
  /** The hash of the canonical block with a number. */
  hashOf(chain: string, number: number): Promise<string | undefined>;
}

/** Reads tables in PostgreSQL. */
export function postgresAuditRows(database: Database): AuditRows {
  return {
    draw: (draw) =>
      database.transaction(
        async (sql) => {
          const { chain } = draw;
          const filled = await findFilledChain(sql, chain);
          const block = filled && (await new PostgresReads(sql).common(chain, ["blocks", "transfers"]));
          if (!filled || !block) return undefined;
          return {
            block,
            holdings: await drawHoldings(sql, draw, block.number),
            start: await startOf(sql, chain, filled.firstBlock),
          };
        },
        { snapshot: true },
      ),
    moves: (chain, holding, block) => movesOfHolding(database, chain, holding, block),
    hashOf: async (chain, number) => (await new PostgresReads(database).block(chain, number))?.hash,
  };
}
