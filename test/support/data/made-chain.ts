import { keccak256, toUtf8Bytes } from "ethers";
import { addFilledChain } from "../../../src/data/chains/filled-chains.js";
import { createChainTables, pipelineOf, schemaOf, tableOf } from "../../../src/data/filling/chain-tables.js";
import type { Category } from "../../../src/data/reads/data-reads.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { arrayText } from "../../../src/store/database/sql-array.js";

/** A chain that a test makes up, in the tables of the data service. */
export interface MadeChain {
  /** The tables' name of the chain, such as `ethereum`. */
  readonly chain: string;
  readonly firstBlock?: number;
  /** The last block. */
  readonly head: number;
  /** The last block that no reorganisation replaces. */
  readonly final: number;
  /** The branch that the chain is on; the first one by default. */
  readonly branch?: MadeBranch;
}

/** A branch, which has other hashes from a block on. */
export interface MadeBranch {
  readonly name: string;
  readonly from: number;
  /** The branch that it leaves there; the first one by default. */
  readonly of?: MadeBranch | undefined;
}

/** The hash of a block of a made chain. */
export function hashOf({ chain, branch }: MadeChain, number: number): string {
  let own: MadeBranch | undefined = branch;
  while (own && number < own.from) own = own.of;
  return keccak256(toUtf8Bytes(`${chain} ${number}${own ? ` ${own.name}` : ""}`));
}

/** The timestamp of a block: two blocks share each. */
export function timeOf(number: number): number {
  return 1_700_000_000 + 12 * Math.floor(number / 2);
}

/** Writes the blocks of a chain, and how far each table is filled, as flows do. What was there is gone. */
export async function makeChain(database: Database, made: MadeChain): Promise<void> {
  const { chain, firstBlock = 0, head } = made;
  await createChainTables(database, chain);
  await addFilledChain(database, { chain, firstBlock, natives: true });
  const numbers = Array.from({ length: head - firstBlock + 1 }, (_, index) => firstBlock + index);
  await database.query(SQL`delete from ${tableOf(chain, "blocks")}`);
  await database.query(
    SQL`insert into ${tableOf(chain, "blocks")}
      select number, time, hash, parent, '0x' || repeat('1', 40), 500, '0xr', '0xt', '0xs', '0xu', 2, 7, 30000000, 21000
      from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[]) as given (number, time, hash, parent)`,
    [
      arrayText(numbers.map(String)),
      arrayText(numbers.map((number) => String(timeOf(number)))),
      arrayText(numbers.map((number) => hashOf(made, number))),
      arrayText(numbers.map((number) => hashOf(made, number - 1))),
    ],
  );
  for (const category of ["blocks", "transfers", "natives"] as const) await place(database, made, category);
}

/** Writes how far a table is filled. @param head its last block, if it is another one than the chain's */
export async function place(
  database: Database,
  made: MadeChain,
  category: Category,
  head = made.head,
): Promise<void> {
  const { chain, final } = made;
  const owner = [pipelineOf(chain), category, JSON.stringify([schemaOf(chain), category])];
  await database.query(
    SQL`insert into graphloom_flows.positions (flow, sink, target, source, next, version)
      values ($1::text, $2::text, $3::text, 'source', $4::bigint, 0)
      on conflict (flow, sink, target, source) do update set next = excluded.next`,
    [...owner, String(head + 1)],
  );
  await database.query(
    SQL`delete from graphloom_flows.open_blocks where flow = $1::text and sink = $2::text and target = $3::text`,
    owner,
  );
  const open = Array.from({ length: Math.max(0, head - final) }, (_, index) => final + 1 + index);
  await database.query(
    SQL`insert into graphloom_flows.open_blocks (flow, sink, target, source, number, hash, rows)
      select $1::text, $2::text, $3::text, 'source', number, hash, ''
      from unnest($4::bigint[], $5::text[]) as given (number, hash)`,
    [...owner, arrayText(open.map(String)), arrayText(open.map((number) => hashOf(made, number)))],
  );
}

/** A transfer on a made chain. */
export interface MadeTransfer {
  readonly block: number;
  /** Its transaction in the block, and its log in the transaction; without a log, it is of native coins. */
  readonly transaction: number;
  readonly log?: number;
  readonly from: string;
  readonly to: string;
  readonly token: string;
  readonly amount: bigint;
}

/** Where the sending half of a transfer is in its block. */
export function sequenceOf({ transaction, log }: MadeTransfer): number {
  return (transaction * 2 ** 24 + (log === undefined ? 0 : log + 1)) * 2;
}

/** Writes the two halves of transfers, and adds up balances, as flows do. */
export async function putTransfers(
  database: Database,
  chain: string,
  transfers: readonly MadeTransfer[],
): Promise<void> {
  await database.run(SQL`create table if not exists ${tableOf(chain, "balances")} (wallet text, token text, balance numeric,
    primary key (wallet, token))`);
  for (const transfer of transfers) {
    const { block, transaction, log, from, to, token, amount } = transfer;
    const sequence = sequenceOf(transfer);
    const table = log === undefined ? "natives" : "transfers";
    for (const [half, wallet, counterparty, sign] of [
      [0, from, to, -1n],
      [1, to, from, 1n],
    ] as const) {
      const moved = [wallet, token, String(sign * amount)];
      await database.query(
        SQL`insert into ${tableOf(chain, table)}
            (block_number, sequence, block_timestamp, transaction_hash, wallet, counterparty, token, amount)
          values ($1::bigint, $2::bigint, $3::bigint, $4::text, $5::text, $6::text, $7::text, $8::numeric)`,
        [
          String(block),
          String(sequence + half),
          String(timeOf(block)),
          keccak256(toUtf8Bytes(`${chain} ${block} ${transaction}`)),
          wallet,
          counterparty,
          ...moved.slice(1),
        ],
      );
      if (table === "transfers")
        await database.query(
          SQL`insert into ${tableOf(chain, "balances")} values ($1::text, $2::text, $3::numeric)
            on conflict (wallet, token) do update set balance = balances.balance + excluded.balance`,
          moved,
        );
    }
  }
}
