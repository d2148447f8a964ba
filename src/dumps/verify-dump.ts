import { poiRegion, poiVariant, proofOfIndexing } from "../runtime/poi/proof-of-indexing.js";
import { parseBytes } from "../store/database/bytea.js";
import { DumpError } from "./dump-error.js";
import type { DumpFiles } from "./dump-files.js";
import type { DumpChunk, DumpMetadata } from "./dump-metadata.js";
import { clampColumns, proofsType, type StoredTable } from "./dump-tables.js";
import type { JudgedDump } from "./judge-dump.js";
import { judgeBlocks, judgeEnds } from "./load-table.js";
import { readDumpFile } from "./read-dump-file.js";

/**
 * Reads the files of a dump, judges all values, and computes the proof of indexing of the last block from them.
 * @param previous an earlier dump, whose files are known to be right
 * @throws DumpError with the file that is wrong, and errors of the system
 */
export async function verifyDump(
  files: DumpFiles,
  { metadata, tables }: JudgedDump,
  previous: DumpMetadata | undefined,
  onProgress?: (table: string, rows: number) => void,
): Promise<void> {
  const head = metadata.head?.number ?? -1;
  for (const table of tables) {
    const { chunks = [], clamps = [] } = metadata.tables.get(table.type) ?? {};
    const known = previous?.tables.get(table.type);
    let rows = 0;
    for (const chunk of chunks.slice(known?.chunks.length ?? 0))
      for await (const { vids, columns } of readDumpFile(files, chunk, table.columns)) {
        judgeBlocks(table, chunk, columns, head);
        rows += vids.length;
        onProgress?.(table.type, rows);
      }
    for (const chunk of clamps.slice(known?.clamps.length ?? 0))
      for await (const { columns } of readDumpFile(files, chunk, clampColumns(table)))
        judgeEnds(chunk, columns[1] ?? [], head);
  }
  await verifyProof(files, { metadata, tables });
}

/**
 * Computes the proof of indexing of the last block from the rows of a dump, if the dump names that proof.
 * @throws DumpError if they differ, and errors of the system
 */
export async function verifyProof(
  files: DumpFiles,
  { metadata, tables }: Pick<JudgedDump, "metadata" | "tables">,
): Promise<void> {
  const { own, head, manifest, network, deployment, tables: listed } = metadata;
  const proofs = tables.find(({ type }) => type === proofsType);
  if (own?.proof === undefined || !head || !proofs) return;
  const region = poiRegion({ network });
  const digest = await lastDigest(files, proofs, listed.get(proofsType)?.chunks ?? [], region);
  const proof = proofOfIndexing({
    variant: poiVariant(manifest),
    deployment,
    block: head.number,
    blockHash: Buffer.from(head.hash.replace(/^0x/, ""), "hex"),
    regions: new Map(digest === undefined ? [] : [[region, parseBytes(digest)]]),
  });
  if (proof !== own.proof)
    throw new DumpError(
      `the proof of indexing of its rows is ${proof}, and that of the dump was ${own.proof}`,
    );
}

/** The last digest of a region, which no later one has replaced. */
async function lastDigest(
  files: DumpFiles,
  { columns }: StoredTable,
  chunks: readonly DumpChunk[],
  region: string,
): Promise<string | undefined> {
  const [id, digest] = ["id", "digest"].map((wanted) => columns.findIndex(({ name }) => name === wanted));
  for (const chunk of chunks.toReversed()) {
    let found: string | undefined;
    for await (const batch of readDumpFile(files, chunk, columns)) {
      const at = batch.columns[id ?? -1]?.lastIndexOf(region) ?? -1;
      found = (at >= 0 ? batch.columns[digest ?? -1]?.[at] : undefined) ?? found;
    }
    if (found !== undefined) return found;
  }
  return undefined;
}
