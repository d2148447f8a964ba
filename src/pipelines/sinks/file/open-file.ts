import { type Compression, compressions, isKnownCompression } from "../../../datasets/parquet/compression.js";
import type { RowColumn } from "../../changes/schema.js";
import type { SinkDefinitionOf } from "../../definition/definition.js";
import type { fileParts } from "../../definition/sink-settings.js";
import { SinkError } from "../../state/sink-error.js";
import type { OpenSink, PlannedSinkOf, SinkOwner, SinkWorld } from "../opening.js";
import { type FileSinkOptions, openFileSink } from "./file-sink.js";
import { partitionNames } from "./partition-folder.js";
import type { FileShape } from "./shape.js";

/** Opens the folder of a sink of files. @throws SinkError */
export const openFile: OpenSink<FileShape> = async (planned, owner, world) =>
  openFileSink(folderOptions(planned, owner, world));

/** What a sink of files writes, and where. */
export function folderOptions(
  { name, definition: { settings }, schema }: PlannedSinkOf<FileShape>,
  { flow, sources, lineage }: SinkOwner,
  world: SinkWorld,
): FileSinkOptions {
  return {
    files: world.openFiles(settings.path?.value ?? ""),
    place: { name: "folder", setting: "path" },
    flow,
    sink: name,
    sources,
    lineage,
    columns: schema.columns,
    ...filesOf(settings, schema.columns),
  };
}

/** How rows are divided into files, and how files are packed. @throws SinkError */
export function filesOf(
  settings: SinkDefinitionOf<typeof fileParts>["settings"],
  columns: readonly RowColumn[],
): Pick<FileSinkOptions, "partitions" | "blocksPerFile" | "rowsPerFile" | "bytesPerFile" | "form"> {
  const count = (value: number | undefined): number | undefined =>
    value === undefined ? undefined : Math.max(1, value);
  return {
    partitions: partitionNames(settings.partition_columns, columns),
    blocksPerFile: count(settings.blocks_per_file?.value) ?? 10_000,
    rowsPerFile: count(settings.rows_per_file?.value),
    bytesPerFile: count(settings.bytes_per_file?.value),
    form: {
      compression: compressionOf(settings.compression?.value),
      groupRows: count(settings.row_group_size?.value),
    },
  };
}

function compressionOf(name: string | undefined): Compression | undefined {
  const compression = compressions.find((one) => one === name);
  if (compression === undefined || isKnownCompression(compression)) return compression;
  throw new SinkError(
    `compression: ${compression} needs Node.js 22.15 or newer. Choose gzip or snappy.`,
    false,
  );
}
