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
    partitions: partitionNames(settings.partition_columns, schema.columns),
    blocksPerFile: settings.blocks_per_file?.value ?? 10_000,
  };
}
