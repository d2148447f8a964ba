import { expect, it } from "vitest";
import { type DatasetKind, datasetAt, datasetKinds, versionsOf } from "../../src/datasets/tables/dataset.js";
import { datasets } from "../../src/datasets/tables/datasets.js";

const place = `block_number LONG, block_hash STRING, block_timestamp LONG, transaction_hash STRING,
  transaction_index LONG, log_index LONG`;

/** The columns that readers of each version count on. A change of these needs a new version. */
const expected: Readonly<Record<DatasetKind, readonly [version: string, columns: string]>> = {
  raw_blocks: [
    "1.0.0",
    `id STRING, number LONG, hash STRING, parent_hash STRING, nonce STRING, sha3_uncles STRING, logs_bloom STRING,
    transactions_root STRING, state_root STRING, receipts_root STRING, miner STRING, difficulty DOUBLE,
    total_difficulty DOUBLE, size LONG, extra_data STRING, gas_limit LONG, gas_used LONG, timestamp LONG,
    transaction_count LONG, base_fee_per_gas LONG, withdrawals_root STRING`,
  ],
  raw_transactions: [
    "1.0.0",
    `id STRING, hash STRING, nonce LONG, block_hash STRING, block_number LONG, transaction_index LONG,
    from_address STRING, to_address STRING, value DECIMAL, gas DECIMAL, gas_price DECIMAL, input STRING,
    max_fee_per_gas DECIMAL, max_priority_fee_per_gas DECIMAL, transaction_type LONG, block_timestamp LONG,
    receipt_cumulative_gas_used DECIMAL, receipt_gas_used DECIMAL, receipt_contract_address STRING,
    receipt_status LONG, receipt_effective_gas_price DECIMAL, receipt_root_hash STRING, receipt_l1_fee DECIMAL,
    receipt_l1_gas_used DECIMAL, receipt_l1_gas_price DECIMAL, receipt_l1_fee_scalar DOUBLE,
    receipt_l1_blob_base_fee DECIMAL, receipt_l1_blob_base_fee_scalar LONG, blob_versioned_hashes STRING,
    max_fee_per_blob_gas DECIMAL, receipt_l1_block_number LONG, receipt_l1_base_fee_scalar LONG`,
  ],
  raw_logs: [
    "1.0.0",
    `id STRING, block_number LONG, block_hash STRING, transaction_hash STRING, transaction_index LONG,
    log_index LONG, address STRING, data STRING, topics STRING, block_timestamp LONG`,
  ],
  raw_traces: [
    "1.1.0",
    `id STRING, block_number LONG, block_hash STRING, transaction_hash STRING, transaction_index LONG,
    from_address STRING, to_address STRING, value DECIMAL, input STRING, output STRING, trace_type STRING,
    call_type STRING, reward_type STRING, gas LONG, gas_used LONG, subtraces LONG, trace_address STRING,
    error STRING, status LONG, trace_id STRING, block_timestamp LONG`,
  ],
  decoded_logs: [
    "1.0.0",
    `id STRING, address STRING, event_signature STRING, event_params ARRAY<STRING>, data STRING, topics STRING, ${place}`,
  ],
  erc20_transfers: [
    "1.2.0",
    `id STRING, sender STRING, recipient STRING, amount DECIMAL, address STRING, ${place}`,
  ],
  erc721_transfers: [
    "1.0.0",
    `id STRING, from_address STRING, to_address STRING, token_id DECIMAL, address STRING, ${place}`,
  ],
  erc1155_transfers: [
    "1.0.0",
    `id STRING, operator STRING, from_address STRING, to_address STRING, token_id DECIMAL, amount DECIMAL,
    address STRING, ${place}`,
  ],
};

it.each(datasetKinds)("%s has the columns of its version", (kind) => {
  const { version, columns } = datasetAt(datasets[kind]);
  const [ofVersion, names] = expected[kind];
  expect(version).toBe(ofVersion);
  expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual(names.split(/,\s+/));
});

it("later versions add nullable columns at the end", () => {
  const added = datasetKinds.flatMap((kind) => {
    const dataset = datasets[kind];
    return versionsOf(dataset)
      .slice(1)
      .map((version) => {
        const [former, later] = [datasetAt(dataset).columns, datasetAt(dataset, version).columns];
        expect(later.slice(0, former.length)).toEqual(former);
        const more = later.slice(former.length);
        expect(more.every(({ nullable }) => nullable === true)).toBe(true);
        return [kind, version, more.map(({ name, type }) => `${name} ${type}`).join(", ")];
      });
  });
  expect(added).toEqual([
    ["raw_blocks", "1.1.0", "withdrawals STRING, blob_gas_used LONG, excess_blob_gas LONG"],
    ["raw_transactions", "1.1.0", "mint DECIMAL, source_hash STRING"],
  ]);
});
