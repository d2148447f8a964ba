import { literal, quoted } from "../../base/text/sql-quotes.js";
import type { BlockRange } from "../../runtime/indexer/logs/tails.js";
import type { StoredFiles, StoredLogFile } from "../archive/stored-logs.js";
import { transferTopics } from "../rows/transfer-rows.js";
import { type DatasetKind, datasetKinds } from "../tables/dataset.js";
import { datasets } from "../tables/datasets.js";

/** The column names of `integerColumns`: an integer below 2^127, or the words of a larger one. */
const [small, ...words] = ["integer", "word_3", "word_2", "word_1", "word_0"] as const;

const [highest, high, low, lowest] = words;

/** The first bytes of 2^127. */
const limit = `'${"\\x00".repeat(16)}\\x80'::BLOB`;

/** Parts of this many digits leave room for sums in 64 bits. */
const groupDigits = 8;

const half = (word: string): readonly string[] => [`(${word} & 4294967295)`, `(${word} >> 32)`];

/**
 * An expression for the integer in decimal digits. DuckDB has no larger type with fast and exact arithmetic, so it
 * computes the digits in groups: each 32-bit part contributes to each group, and carries propagate.
 */
const decimalSql = `CASE WHEN ${small} IS NOT NULL THEN ${small}::VARCHAR
  ELSE ${digitsSql([lowest, low, high, highest].flatMap(half))} END`;

/** A dataset in SQL. It returns the same rows as `rows/` for the same logs. */
interface StoredDataset {
  /** First topics of the logs that become rows; `undefined` for any. */
  readonly topics: readonly string[] | undefined;
  /** Which logs become rows, including the check of first topics. */
  readonly condition: string;
  /** An expression of bytes; `decimalSql` converts it. */
  readonly integer?: string;
  /** Expressions by column; all datasets also have those of `place`. */
  readonly columns: Readonly<Record<string, string>>;
}

const hex = (bytes: string): string => `'0x' || lower(hex(${bytes}))`;
const topic = (index: number): string => `topics[${32 * index + 1}:${32 * index + 32}]`;
/** The address in a topic. Ignores the bytes before it. */
const addressIn = (index: number): string => hex(`topics[${32 * index + 13}:${32 * index + 32}]`);
const isTransfer = beginsWith("topics", transferTopics.transfer.slice(2));
const topicCount = "octet_length(topics) // 32";
const transferId = "concat('token_transfer_', block.hash_text, '_', log_index)";

/** The position of a log. */
const place: Readonly<Record<string, string>> = {
  address: hex("address"),
  block_number: "block_number",
  block_hash: "block.hash_text",
  block_timestamp: "block.timestamp::BIGINT",
  transaction_hash: hex("transaction_hash"),
  transaction_index: "transaction_index",
  log_index: "log_index",
};

const stored: Partial<Record<DatasetKind, StoredDataset>> = {
  raw_logs: {
    topics: undefined,
    condition: "true",
    columns: {
      id: "concat('log_', block.hash_text, '_', log_index)",
      data: hex("data"),
      topics: `concat_ws(',', ${[0, 1, 2, 3].map((index) => `CASE WHEN ${topicCount} > ${index} THEN ${hex(topic(index))} END`).join(", ")})`,
    },
  },
  erc20_transfers: {
    topics: [transferTopics.transfer],
    condition: `${isTransfer} AND ${topicCount} = 3 AND octet_length(data) = 32`,
    integer: "data",
    columns: {
      id: transferId,
      sender: addressIn(1),
      recipient: addressIn(2),
      amount: `(${decimalSql})::BIGNUM`,
    },
  },
  erc721_transfers: {
    topics: [transferTopics.transfer],
    condition: `${isTransfer} AND ${topicCount} >= 4`,
    integer: topic(3),
    columns: {
      id: transferId,
      from_address: addressIn(1),
      to_address: addressIn(2),
      token_id: `(${decimalSql})::BIGNUM`,
    },
  },
};

export const storedKinds: ReadonlySet<DatasetKind> = new Set(
  datasetKinds.filter((kind) => stored[kind] !== undefined),
);

/** First topics of the logs of such a dataset; `undefined` for any. */
export function storedTopics(kind: DatasetKind): readonly string[] | undefined {
  return stored[kind]?.topics;
}

/**
 * A DuckDB query for the rows of a dataset in a range of blocks, with its columns and in its order. 256-bit integers
 * are BIGNUM, so that an outer query converts them once. The query fails if the files lack a log's block. An outer
 * query neither computes a value twice nor reads logs without rows: DuckDB does not move conditions past `error`.
 * @param addresses only logs of these contracts, in lower case; all logs if absent
 */
export function storedRowsSql(
  kind: DatasetKind,
  files: StoredFiles,
  range: BlockRange,
  addresses: readonly string[] | undefined,
): string {
  const dataset = stored[kind];
  if (!dataset) throw new RangeError(`${kind} is not made of stored logs`);
  const conditions = [
    ...(addresses ? [`address IN (${addresses.map(bytes).join(", ")})`] : []),
    dataset.condition,
  ];
  const logs = `SELECT *${dataset.integer ? `, ${integerColumns(dataset.integer)}` : ""}
    FROM (${logsOf(files.logs, range)}) WHERE ${conditions.join(" AND ")}`;
  // If a block is in several files, any of them will do.
  const blocks = `SELECT number, hash, any_value(timestamp) AS timestamp, ${hex("hash")} AS hash_text
    FROM ${files.blocks.length > 0 ? tableOf(files.blocks) : noBlocks} WHERE number BETWEEN ${range.from} AND ${range.to} GROUP BY number, hash`;
  const columns = datasets[kind].columns.map(({ name }) => {
    const value = dataset.columns[name] ?? place[name];
    return `CASE WHEN block.number IS NULL THEN error('a block is missing') ELSE ${value} END AS ${quoted(name)}`;
  });
  return `SELECT ${columns.join(", ")} FROM (${logs}) AS log
    LEFT JOIN (${blocks}) AS block ON block.number = log.block_number AND block.hash = log.block_hash`;
}

/** All logs of a range, in order. If several files have a log, takes the first. */
function logsOf(files: readonly StoredLogFile[], range: BlockRange): string {
  const parts = partsOf(files, range).map(({ from, to, files: together, isShared }) => {
    const blocks = `block_number BETWEEN ${from} AND ${to}`;
    const paths = together.map(({ path }) => path);
    if (!isShared) return `SELECT * FROM ${tableOf(paths)} WHERE ${blocks}`;
    const each = paths.map(
      (path, index) => `SELECT ${index} AS part, * FROM ${tableOf([path])} WHERE ${blocks}`,
    );
    const all = `SELECT DISTINCT ON (block_number, log_index, transaction_hash) * FROM (${each.join(" UNION ALL ")})
      ORDER BY block_number, log_index, transaction_hash, part`;
    const guarded = `CASE WHEN ${isOfNextTransaction} THEN error('a block numbers the logs of each transaction') ELSE log_index END`;
    return `SELECT * EXCLUDE (part) REPLACE (${guarded} AS log_index) FROM (${all}) ORDER BY block_number, log_index`;
  });
  return parts.map((part) => `(${part})`).join(" UNION ALL ");
}

/** Whether a log's index repeats, or is lower than in an earlier transaction: see `withDistinctIds`. */
const isOfNextTransaction = `${ofLogBefore("log_index")} = log_index OR ${ofLogBefore("transaction_index")} > transaction_index`;

/** A column of the previous log in the same block. DuckDB accepts a named window only once in a UNION. */
function ofLogBefore(column: string): string {
  return `lag(${column}) OVER (PARTITION BY block_number ORDER BY log_index, transaction_index)`;
}

interface Part extends BlockRange {
  /** The files to read for it, in order. */
  readonly files: readonly StoredLogFile[];
  /** Whether they may contain the same log. If not, each file's blocks come after the previous file's. */
  readonly isShared: boolean;
}

/** The parts of a range, in order. If one file has all requested logs, the others are not read. */
function partsOf(files: readonly StoredLogFile[], range: BlockRange): readonly Part[] {
  const near = files.filter(({ from, to }) => from <= range.to && to >= range.from);
  const bounds = near.flatMap((file) => [file, ...file.whole]).flatMap(({ from, to }) => [from, to + 1]);
  const inside = [...new Set([range.from, ...bounds])].filter(
    (start) => start >= range.from && start <= range.to,
  );
  const parts: Part[] = [];
  for (const [index, from] of inside.sort((one, other) => one - other).entries()) {
    const to = (inside[index + 1] ?? range.to + 1) - 1;
    const all = near.filter((file) => contains(file, { from, to }));
    const whole = all.filter((file) => file.whole.some((claimed) => contains(claimed, { from, to })));
    const last = parts.at(-1);
    const before = last?.isShared ? undefined : last?.files.at(-1);
    // Continue with a file that is already open.
    const single =
      whole.find((file) => file === before) ?? whole[0] ?? (all.length === 1 ? all[0] : undefined);
    if (last && single && single === before) parts.splice(-1, 1, { ...last, to });
    else if (last && single && before && follows(single, last, from))
      parts.splice(-1, 1, { ...last, to, files: [...last.files, single] });
    else if (single) parts.push({ from, to, files: [single], isShared: false });
    else if (all.length > 0) parts.push({ from, to, files: all, isShared: true });
  }
  // A range without logs still has columns.
  const [any] = files;
  return parts.length > 0 || !any ? parts : [{ ...range, files: [any], isShared: false }];
}

function contains(outer: BlockRange, inner: BlockRange): boolean {
  return outer.from <= inner.from && outer.to >= inner.to;
}

/** Whether a file can follow the files of a part without skipping a log that the part needs. */
function follows(file: StoredLogFile, { files }: Part, from: number): boolean {
  return file.from >= from && files.every(({ to }) => to < from);
}

const noBlocks = "(SELECT 0 AS number, ''::BLOB AS hash, 0 AS timestamp WHERE false)";

function tableOf(paths: readonly string[]): string {
  return `read_parquet([${paths.map(literal).join(", ")}])`;
}

function bytes(text: string): string {
  return `unhex(${literal(text.slice(2))})`;
}

/**
 * Whether bytes have a prefix. Written as a range, which DuckDB compares without copying.
 * @param prefix hexadecimal digits, not all of them `f`
 */
function beginsWith(value: string, prefix: string): string {
  const next = (BigInt(`0x${prefix}`) + 1n).toString(16).padStart(prefix.length, "0");
  return `${value} >= unhex('${prefix}') AND ${value} < unhex('${next}')`;
}

/**
 * Columns with a 256-bit integer, for `decimalSql`. Accepts shorter bytes, because DuckDB may evaluate rows before a
 * condition excludes them.
 * @param bytes an expression for a BLOB whose first 32 bytes are the integer, big-endian
 */
function integerColumns(bytes: string): string {
  // Empty bytes have no bits, so make them NULL.
  const number = (from: number, to: number, type: string): string =>
    `TRY_CAST(nullif(${bytes}[${from}:${to}], ''::BLOB)::BIT AS ${type})`;
  const column = (condition: string, value: string, name: string): string =>
    `CASE WHEN ${bytes} ${condition} ${limit} THEN ${value} END AS ${name}`;
  return [
    column("<", number(17, 32, "HUGEINT"), small),
    ...words.map((name, index) => column(">=", number(8 * index + 1, 8 * index + 8, "UBIGINT"), name)),
  ].join(", ");
}

/** @param parts 32-bit integers, least significant first */
function digitsSql(parts: readonly string[]): string {
  const group = 10n ** BigInt(groupDigits);
  const number = (value: bigint): string => `${value}::UBIGINT`;
  const groups = Math.ceil(String(2n ** BigInt(32 * parts.length)).length / groupDigits);
  const texts: string[] = [];
  let carry: readonly string[] = [];
  for (let index = 0; index < groups; index += 1) {
    const given = parts.flatMap((part, place) => {
      const factor = (2n ** BigInt(32 * place) / group ** BigInt(index)) % group;
      return factor === 0n ? [] : [`${part} * ${number(factor)}`];
    });
    const sum = [...given, ...carry].join(" + ");
    // Prepend a digit to keep zeros, and cut it off again.
    texts.unshift(`(((${sum}) % ${number(group)} + ${number(group)})::VARCHAR)[2:]`);
    carry = [`(${sum}) // ${number(group)}`];
  }
  return `ltrim(concat(${texts.join(", ")}), '0')`;
}
