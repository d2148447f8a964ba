import { quotedTable } from "../../pipelines/sinks/clickhouse/target-table.js";
import { markedPlaces, settlePlaces } from "../../pipelines/sinks/clickhouse/written-places.js";
import { chainPipeline, databaseSecret, type Filling, rowsOf } from "../filling/chain-pipeline.js";
import type { FillingPlace, MovedTokens } from "../filling/filling-place.js";
import type { Category } from "../reads/data-reads.js";
import {
  addClickHouseChain,
  addClickHouseNatives,
  findClickHouseChain,
  noteClickHouseTokens,
  notedClickHouseTokens,
} from "./clickhouse-chains.js";
import type { ClickHousePlace } from "./clickhouse-place.js";
import { clickHouseTable, clickHouseTables, createClickHouseTables, movesKey } from "./clickhouse-tables.js";

/** The rows of chains in ClickHouse. @param place stays open. Methods throw ClickHouseError */
export function fillingClickHouse(place: ClickHousePlace): FillingPlace {
  const { url, username, password, database: databaseName } = place.address;
  const address = JSON.stringify({ type: "clickHouse", url, username, password, databaseName });
  return {
    createTables: (chain) => createClickHouseTables(place, chain),
    find: (chain) => findClickHouseChain(place, chain),
    add: (chain) => addClickHouseChain(place, chain),
    addNatives: (chain) => addClickHouseNatives(place, chain),
    flow: clickHousePipeline,
    next: async (chain) => {
      const places = await markedPlaces(place.server, clickHouseTables(databaseName, chain));
      return places.get("transfers")?.next;
    },
    settle: (chain, lastBlock) =>
      settlePlaces(place.server, clickHouseTables(databaseName, chain), lastBlock),
    ports: { secret: (name) => (name === databaseSecret ? address : undefined) },
    tokens: movedTokens(place),
  };
}

function movedTokens(place: ClickHousePlace): MovedTokens {
  const { server, address } = place;
  const table = (chain: string, category: "blocks" | "transfers"): string =>
    quotedTable({ database: address.database, name: clickHouseTable(chain, category) });
  return {
    // Rows are in the order of wallets, so every search reads all of them.
    span: 1_000_000,
    head: async (chain) => {
      const [head] = await server.query(
        `SELECT number, hash, (SELECT maxOrNull(block_number) FROM ${table(chain, "transfers")}) AS last
          FROM ${table(chain, "blocks")} FINAL
          WHERE number >= (SELECT max(number) - {open:Int64} FROM ${table(chain, "blocks")})
          ORDER BY number DESC LIMIT 1`,
        { open: "256" },
      );
      return (
        head && {
          last: Number(head.last ?? -1),
          newest: { number: Number(head.number), hash: String(head.hash) },
        }
      );
    },
    hashOf: async (chain, number) => {
      const [block] = await server.query(
        `SELECT hash FROM ${table(chain, "blocks")} FINAL WHERE number = {number:Int64}`,
        { number: String(number) },
      );
      return block && String(block.hash);
    },
    between: async (chain, from, to) => {
      const rows = await server.query(
        `SELECT DISTINCT token FROM ${table(chain, "transfers")}
          WHERE block_number BETWEEN {from:Int64} AND {to:Int64} ORDER BY token`,
        { from: String(from), to: String(to) },
      );
      return rows.map(({ token }) => String(token));
    },
    noted: (chain) => notedClickHouseTokens(place, chain),
    note: (chain, block) => noteClickHouseTokens(place, chain, block),
  };
}

/** The definition of the pipeline that fills the tables of a chain in ClickHouse. */
function clickHousePipeline(filling: Filling): ReturnType<typeof chainPipeline> {
  const sink = (category: Category): object => ({
    type: "clickhouse",
    from: rowsOf[category],
    table: clickHouseTable(filling.chain, category),
    secret_name: databaseSecret,
  });
  return chainPipeline(filling, {
    movesKey,
    isSigned: false,
    sinks: { blocks: sink("blocks"), transfers: sink("transfers"), natives: sink("natives") },
  });
}
