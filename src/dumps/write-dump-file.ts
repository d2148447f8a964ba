import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { codecOf, isKnownCompression, packers } from "../datasets/parquet/compression.js";
import type { SqlText } from "../store/database/database.js";
import { type DumpColumn, dumpSchema, valuesForFile } from "./dump-columns.js";

/** Rows of a file: for each column, one value per row in the database's text form. */
export type TextColumns = readonly (readonly SqlText[])[];

/** A row group is written at this many rows, or characters. Both bound the memory of readers and writers. */
const groupRows = 50_000;
const groupCharacters = 16 * 1024 * 1024;
const pageBytes = 1024 * 1024;

/**
 * Writes rows as a file of a dump, piece by piece. graph-node reads Zstandard and Snappy alike.
 * @param batches rows in the order of their vids
 */
export async function* dumpFile(
  columns: readonly DumpColumn[],
  batches: AsyncIterable<TextColumns>,
): AsyncGenerator<Uint8Array> {
  const bytes = new ByteWriter();
  const file = new ParquetWriter({
    writer: bytes,
    schema: dumpSchema(columns),
    codec: codecOf[isKnownCompression("zstd") ? "zstd" : "snappy"],
    compressors: packers,
    createdBy: "graphloom",
  });
  const taken = (): Uint8Array => {
    const piece = bytes.getBytes().slice();
    // Its position in the file stays, because the footer refers to it.
    bytes.index = 0;
    return piece;
  };
  let held = columns.map((): SqlText[] => []);
  let [rows, characters] = [0, 0];
  const flush = (): Uint8Array => {
    const columnData = columns.map((column, index) => ({
      name: column.name,
      data: valuesForFile(column, held[index] ?? []),
    }));
    file.write({ columnData, rowGroupSize: Math.max(1, rows), pageSize: pageBytes });
    held = columns.map(() => []);
    [rows, characters] = [0, 0];
    return taken();
  };
  for await (const batch of batches) {
    for (const [index, values] of batch.entries()) {
      const column = held[index];
      for (const value of values) {
        column?.push(value);
        characters += value?.length ?? 0;
      }
    }
    rows += batch[0]?.length ?? 0;
    if (rows >= groupRows || characters >= groupCharacters) yield flush();
  }
  if (rows > 0) yield flush();
  file.finish();
  yield taken();
}
