import type { DataAnswer } from "../answers/data-answer.js";
import type { Given } from "../answers/parameters.js";
import { canonicalFilters } from "./canonical-filters.js";
import { marketBalanceParameters } from "./market-parameters.js";
import type { BalanceKey, MarketBalance, SortKey } from "./market-reads.js";
import { answerPage, type MarketOperation, type MarketWorld } from "./market-walk.js";

type BalanceFilters = Given<typeof marketBalanceParameters>;

const ties: readonly SortKey<BalanceKey>[] = [
  { field: "tokenId", isDescending: false },
  { field: "contractAddress", isDescending: false },
];

const orders: Readonly<Record<string, readonly SortKey<BalanceKey>[]>> = {
  balance_desc: [{ field: "balance", isDescending: true }, ...ties],
  balance_asc: [{ field: "balance", isDescending: false }, ...ties],
  block_number_desc: [{ field: "block", isDescending: true }, ...ties],
};

const balances: MarketOperation<BalanceKey, MarketBalance> = {
  of: "balances",
  parameters: marketBalanceParameters,
  settle: (given) => ({ sort: "balance_desc", min_balance: "1", ...canonicalFilters(given) }),
  order: ({ sort }) => orders[String(sort)] ?? ties,
  asOf: ({ as_of_block: block }) => (block === undefined ? undefined : Number(block)),
  read: (reads, filters, page) => {
    const { address = "", token_id, contract_address, min_balance = "1" } = filters as BalanceFilters;
    return reads.balances({
      ...page,
      address,
      tokenId: token_id,
      contractAddress: contract_address,
      minBalance: BigInt(min_balance),
    });
  },
  keyOf: (row, field) => row[field],
  itemOf,
};

/** Answers `GET /market/balances`. @throws Refusal */
export function answerMarketBalances(query: URLSearchParams, world: MarketWorld): Promise<DataAnswer> {
  return answerPage(balances, query, world);
}

function itemOf({ address, contractAddress, tokenId, balance, block, timestamp }: MarketBalance): object {
  return {
    address: address.toLowerCase(),
    token_id: String(tokenId),
    balance: String(balance),
    block_number: block,
    block_timestamp: timestamp,
    contract_address: contractAddress.toLowerCase(),
    token_type: "erc1155",
  };
}
