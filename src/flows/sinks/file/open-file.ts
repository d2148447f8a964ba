import type { OpenSink } from "../opening.js";
import { openFileSink } from "./file-sink.js";

/** Opens the folder of a sink of files. @throws SinkError */
export const openFile: OpenSink<"file"> = async ({ name, definition, schema }, { flow, sources }, world) =>
  openFileSink({
    files: world.openFiles(definition.settings.path?.value ?? ""),
    place: { name: "folder", setting: "path" },
    flow,
    sink: name,
    sources,
    columns: schema.columns,
    blocksPerFile: definition.settings.blocks_per_file?.value ?? 10_000,
  });
