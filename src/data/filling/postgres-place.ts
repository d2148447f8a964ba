import { settlePlaces, writtenPlaces } from "../../pipelines/sinks/postgres/written-places.js";
import { cell } from "../../store/database/columns.js";
import { type Database, SQL } from "../../store/database/database.js";
import {
  addFilledChain,
  addNatives,
  findFilledChain,
  notedTokens,
  noteTokens,
} from "../chains/filled-chains.js";
import { chainPipeline, databaseSecret } from "./chain-pipeline.js";
import { createChainTables, pipelineOf, schemaOf, tableOf } from "./chain-tables.js";
import type { FillingPlace, MovedTokens } from "./filling-place.js";

/** The rows of chains in PostgreSQL. @param database stays open. Its methods throw DatabaseError */
export function postgresPlace(database: Database): FillingPlace {
  const shared = keptOpen(database);
  return {
    createTables: (chain) => createChainTables(database, chain),
    find: (chain) => findFilledChain(database, chain),
    add: (chain) => addFilledChain(database, chain),
    addNatives: (chain) => addNatives(database, chain),
    flow: chainPipeline,
    next: async (chain) => {
      const table = { schema: schemaOf(chain), name: "transfers" };
      const [written] = await writtenPlaces(database, {
        flow: pipelineOf(chain),
        sink: "transfers",
        table,
      });
      return written?.next;
    },
    settle: (chain, lastBlock) => settlePlaces(database, pipelineOf(chain), lastBlock),
    ports: {
      secret: (name) => (name === databaseSecret ? `postgres://${databaseSecret}` : undefined),
      openDatabase: async () => shared,
    },
    tokens: movedTokens(database),
  };
}

function movedTokens(database: Database): MovedTokens {
  return {
    span: 10_000,
    head: async (chain) => {
      const [head] = await database.query(
        SQL`select number, hash, (select max(block_number) from ${tableOf(chain, "transfers")}) as last
          from ${tableOf(chain, "blocks")} order by number desc limit 1`,
      );
      return (
        head && {
          last: Number(head.last ?? -1),
          newest: { number: Number(head.number), hash: cell(head, "hash") },
        }
      );
    },
    hashOf: async (chain, number) => {
      const [block] = await database.query(
        SQL`select hash from ${tableOf(chain, "blocks")} where number = $1::bigint`,
        [String(number)],
      );
      return block && cell(block, "hash");
    },
    between: async (chain, from, to) => {
      const rows = await database.query(
        SQL`select distinct t.token from ${tableOf(chain, "transfers")} t
          where t.block_number between $1::bigint and $2::bigint
            and (not exists (select 1 from graphloom.data_tokens m where m.chain = $3::text and m.token = t.token)
              or exists (select 1 from graphloom.data_marks m
                where m.chain = $3::text and m.token = t.token and m.kind = 'no_transfers'))`,
        [String(from), String(to), chain],
      );
      return rows.map((row) => cell(row, "token"));
    },
    noted: (chain) => notedTokens(database, chain),
    note: (chain, block) => noteTokens(database, chain, block),
  };
}

/** The same database for sinks, with a `close` that does nothing. */
function keptOpen(database: Database): Database {
  return {
    provider: database.provider,
    query: (...given) => database.query(...given),
    run: (script) => database.run(script),
    transaction: (...given) => database.transaction(...given),
    listen: (...given) => database.listen(...given),
    close: async () => undefined,
  };
}
