import { createHash } from "node:crypto";
import { groupBy } from "../../../base/group-by.js";
import { messageOf } from "../../../base/text/message-of.js";
import type { Block, Log } from "../../../runtime/chain/chain.js";
import { areNumberedByTransaction } from "../../../runtime/chain/log-order.js";
import type { Column, ColumnValues } from "../../parquet/column.js";
import { aboutParquet, readParquet } from "../../parquet/read-parquet.js";
import { writeParquet } from "../../parquet/write-parquet.js";
import type { ArchiveFiles } from "../archive-files.js";
import { blockColumns, blockRows, blocksOfRows, transactionColumns } from "../blocks-table.js";
import type { LinkedBlock } from "../final-chain.js";
import { logColumns, logRows, logsOfRows } from "../logs-table.js";
import { type Claim, claimColumns, claimRows, claimsOfRows } from "./claims.js";
import type { Segment, SegmentFile, SegmentKind } from "./manifest.js";

/** A node's answer as of a block: the return value of a contract, a balance, a receipt, a list of calls. */
export interface KeptAnswer {
  readonly block: number;
  readonly hash: string;
  readonly question: string;
  readonly answer: string;
}

export type SegmentContent =
  | { readonly kind: "blocks"; readonly blocks: readonly Block[] }
  | {
      readonly kind: "logs";
      readonly logs: readonly Log[];
      readonly claims: readonly Claim[];
      /** The source of history that returned all of them; absent for nodes. */
      readonly source?: string | undefined;
    }
  | { readonly kind: "answers"; readonly answers: readonly KeptAnswer[] };

/** A segment does not match its manifest. */
export class DamagedSegmentError extends Error {
  override readonly name = "DamagedSegmentError";
  /** The file's path, relative to the chain's folder. */
  readonly path: string;
  readonly why: string;
  /** Whether the files are readable, so that their content is permanently wrong. */
  readonly isOfContent: boolean;

  constructor(path: string, why: string, isOfContent = true) {
    super(`${path}: ${why}`);
    this.path = path;
    this.why = why;
    this.isOfContent = isOfContent;
  }
}

const answerColumns: readonly Column[] = [
  { name: "block_number", type: "long" },
  { name: "block_hash", type: "hex" },
  { name: "question", type: "string" },
  { name: "answer", type: "string" },
];

interface Table {
  readonly folder: string;
  readonly columns: readonly Column[];
  readonly rows: ColumnValues;
}

/**
 * Writes a segment's files under names that encode their range and content. The segment counts once a manifest lists
 * it.
 * @param folder the chain's folder, relative to the archive's
 */
export async function writeSegment(
  files: ArchiveFiles,
  folder: string,
  chainId: string,
  content: SegmentContent,
): Promise<Segment> {
  const about = aboutContent(content);
  const written: SegmentFile[] = [];
  for (const { folder: kind, columns, rows } of tablesOf(content)) {
    const metadata = { "graphloom.chain": chainId, "graphloom.table": kind };
    const bytes = writeParquet(columns, rows, metadata);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const path = `${kind}/${about.from}-${about.to}-${sha256.slice(0, 16)}.parquet`;
    await files.write(`${folder}/${path}`, bytes);
    written.push({ path, bytes: bytes.length, sha256 });
  }
  return { ...about, files: written };
}

/** What the manifest says about a segment with this content, except its files. */
export function aboutContent(content: SegmentContent): Omit<Segment, "files"> {
  return { kind: content.kind, ...rangeOf(content), rows: countOf(content), ...endsOf(content) };
}

/**
 * Reads a segment, and checks it against its manifest.
 * @throws DamagedSegmentError, which names the file
 */
export async function readSegment(
  files: ArchiveFiles,
  folder: string,
  chainId: string,
  segment: Segment,
): Promise<SegmentContent> {
  const read = segment.files.map((file) => readSegmentFile(files, folder, chainId, file));
  return contentOfFiles(segment, await Promise.all(read));
}

/**
 * Reads the claims of a segment of logs, and checks all its files against the manifest.
 * @throws DamagedSegmentError, which names the file
 */
export async function readClaims(
  files: ArchiveFiles,
  folder: string,
  chainId: string,
  { files: listed }: Segment,
): Promise<readonly Claim[]> {
  let claims: readonly Claim[] = [];
  for (const file of listed) {
    const bytes = await readSegmentFile(files, folder, chainId, file);
    if (file.path.startsWith("claims/")) claims = claimsOfRows(await readParquet(bytes, claimColumns));
  }
  return claims;
}

/**
 * Reads which blocks a block segment has, and checks its file against the manifest.
 * @throws DamagedSegmentError, which names the file
 */
export async function readLinks(
  files: ArchiveFiles,
  folder: string,
  chainId: string,
  { files: listed }: Segment,
): Promise<readonly LinkedBlock[]> {
  const file = listed.find(({ path }) => path.startsWith("blocks/"));
  if (!file) throw new DamagedSegmentError(listed[0]?.path ?? "", "it has no blocks");
  const bytes = await readSegmentFile(files, folder, chainId, file);
  const columns = blockColumns.filter(({ name }) => ["number", "hash", "parent_hash"].includes(name));
  const rows = await readParquet(bytes, columns);
  return (rows.number ?? []).map((number, row) => ({
    number: Number(number),
    hash: String(rows.hash?.[row]),
    parentHash: String(rows.parent_hash?.[row]),
  }));
}

/** Reads a segment; `undefined` if it is damaged. It is left in place, and the caller reports it. */
export async function readUndamaged(
  files: ArchiveFiles,
  folder: string,
  chainId: string,
  segment: Segment,
): Promise<SegmentContent | undefined> {
  try {
    return await readSegment(files, folder, chainId, segment);
  } catch (error) {
    if (error instanceof DamagedSegmentError) return undefined;
    throw error;
  }
}

/**
 * Decodes the content of a segment.
 * @param contents the contents of its files, in order
 * @throws DamagedSegmentError, which names the first file
 */
export async function contentOfFiles(
  { kind, files }: Segment,
  contents: readonly Uint8Array[],
): Promise<SegmentContent> {
  const first = files[0]?.path ?? "";
  const read = async (folderName: string, columns: readonly Column[]): Promise<ColumnValues> => {
    const bytes = contents[files.findIndex(({ path }) => path.startsWith(`${folderName}/`))];
    if (!bytes) throw new DamagedSegmentError(first, `it has no ${folderName}`);
    return readParquet(bytes, columns);
  };
  try {
    return await contentOf(kind, read);
  } catch (error) {
    if (error instanceof DamagedSegmentError) throw error;
    const why = messageOf(error);
    throw new DamagedSegmentError(first, `it cannot be read: ${why}`);
  }
}

/**
 * Reads a file of a segment, and checks it against the manifest.
 * @throws DamagedSegmentError
 */
export async function readSegmentFile(
  files: ArchiveFiles,
  folder: string,
  chainId: string,
  { path, bytes: size, sha256 }: SegmentFile,
): Promise<Uint8Array> {
  const refuse = (why: string, isOfContent = true): never => {
    throw new DamagedSegmentError(path, why, isOfContent);
  };
  const bytes = await files
    .read(`${folder}/${path}`)
    .catch((error: Error) => refuse(`the file cannot be read: ${error.message}`, false));
  if (!bytes) return refuse("the file is missing", false);
  if (bytes.length !== size) refuse(`the file has ${bytes.length} bytes instead of ${size}`);
  if (createHash("sha256").update(bytes).digest("hex") !== sha256)
    refuse("the file's content does not match its checksum");
  const chain = chainOf(bytes);
  if (chain !== chainId) refuse(`the file belongs to chain ${chain ?? "unknown"}, not to chain ${chainId}`);
  return bytes;
}

/** The chain id in a file; `undefined` if unreadable. */
function chainOf(bytes: Uint8Array): string | undefined {
  try {
    return aboutParquet(bytes).get("graphloom.chain");
  } catch {
    return undefined;
  }
}

type ReadTable = (folder: string, columns: readonly Column[]) => Promise<ColumnValues>;

async function contentOf(kind: SegmentKind, read: ReadTable): Promise<SegmentContent> {
  if (kind === "blocks") {
    const rows = await read("blocks", blockColumns);
    return { kind, blocks: blocksOfRows(rows, await read("transactions", transactionColumns)) };
  }
  if (kind === "logs") {
    const logs = logsOfRows(await read("logs", logColumns));
    return { kind, logs, claims: claimsOfRows(await read("claims", claimColumns)) };
  }
  return { kind, answers: answersOfRows(await read("answers", answerColumns)) };
}

function tablesOf(content: SegmentContent): readonly Table[] {
  if (content.kind === "blocks") {
    const { blocks, transactions } = blockRows(content.blocks);
    return [
      { folder: "blocks", columns: blockColumns, rows: blocks },
      { folder: "transactions", columns: transactionColumns, rows: transactions },
    ];
  }
  if (content.kind === "logs") {
    return [
      { folder: "logs", columns: logColumns, rows: logRows(content.logs) },
      { folder: "claims", columns: claimColumns, rows: claimRows(content.claims) },
    ];
  }
  return [{ folder: "answers", columns: answerColumns, rows: answerRows(content.answers) }];
}

function answerRows(answers: readonly KeptAnswer[]): ColumnValues {
  return {
    block_number: answers.map(({ block }) => BigInt(block)),
    block_hash: answers.map(({ hash }) => hash),
    question: answers.map(({ question }) => question),
    answer: answers.map(({ answer }) => answer),
  };
}

function answersOfRows(rows: ColumnValues): readonly KeptAnswer[] {
  return (rows.question ?? []).map((question, row) => ({
    block: Number(rows.block_number?.[row]),
    hash: String(rows.block_hash?.[row]),
    question: String(question),
    answer: String(rows.answer?.[row]),
  }));
}

function rangeOf(content: SegmentContent): { from: number; to: number } {
  if (content.kind === "logs")
    return {
      from: content.claims.reduce((least, { from }) => Math.min(least, from), Number.POSITIVE_INFINITY),
      to: content.claims.reduce((most, { to }) => Math.max(most, to), 0),
    };
  const numbers =
    content.kind === "blocks"
      ? content.blocks.map(({ number }) => number)
      : content.answers.map(({ block }) => block);
  return {
    from: numbers.reduce((least, number) => Math.min(least, number), Number.POSITIVE_INFINITY),
    to: numbers.reduce((most, number) => Math.max(most, number), 0),
  };
}

function countOf(content: SegmentContent): number {
  if (content.kind === "blocks") return content.blocks.length;
  return content.kind === "logs" ? content.logs.length : content.answers.length;
}

function endsOf(content: SegmentContent): Pick<Segment, "parentHash" | "last" | "byTransaction" | "source"> {
  if (content.kind === "logs") {
    const blocks = groupBy(content.logs, ({ block }) => block.number);
    const { source } = content;
    return {
      ...([...blocks.values()].some(areNumberedByTransaction) && { byTransaction: true }),
      ...(source !== undefined && { source }),
    };
  }
  if (content.kind !== "blocks") return {};
  const first = content.blocks[0];
  const last = content.blocks.at(-1);
  if (!first || !last) return {};
  return { parentHash: first.parentHash, last: { number: last.number, hash: last.hash } };
}
