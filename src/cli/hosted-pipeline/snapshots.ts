import type { PipelineSnapshotInfo } from "../../api/pipeline-operations.js";
import type { PipelinesApi } from "../../api/pipelines-api.js";
import { visible } from "../../base/text/visible.js";
import type { Column } from "../subgraph/listing.js";
import { printRows } from "../subgraph/print-rows.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import type { OutputArguments } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { type NamedArguments, openPipeline, versionGiven } from "./named-pipeline.js";

const columns: readonly Column<PipelineSnapshotInfo>[] = [
  { title: "ID", cell: ({ id }) => id },
  { title: "VERSION", cell: ({ version }) => String(version) },
  { title: "TAKEN", cell: ({ created_at: taken }) => taken },
  { title: "CAUSE", cell: ({ cause }) => cause },
  { title: "NEXT BLOCKS", cell: placesText, mayShrink: true },
];

/** Lists the snapshots of a pipeline; returns the exit code. */
export async function listSnapshots(
  args: NamedArguments & OutputArguments & { readonly version?: string | undefined },
  terminal: Terminal,
): Promise<number> {
  const version = versionGiven(args.version);
  const { name, pipelines } = await openPipeline(args, terminal);
  const all = await pipelines.snapshots(name, version);
  printRows(all, columns, { ...args, empty: `There are no snapshots of ${visible(name)} yet.` }, terminal);
  return exitCodes.clean;
}

/** Takes a snapshot of a pipeline; returns the exit code. */
export async function createSnapshot(args: NamedArguments, terminal: Terminal): Promise<number> {
  const { name, pipelines } = await openPipeline(args, terminal);
  const { id } = await pipelines.takeSnapshot(name);
  terminal.out(`Took the snapshot ${visible(id)} of ${visible(name)}.\n`);
  return exitCodes.clean;
}

/**
 * Where a pipeline continues, according to `--from-snapshot`. Asks if the option has no value.
 * @returns `undefined` if the option is not given @throws UsageError if there is no value and no one to ask
 */
export async function snapshotChosen(
  given: string | undefined,
  name: string,
  pipelines: Pick<PipelinesApi, "snapshots">,
  terminal: Terminal,
): Promise<string | undefined> {
  if (given === undefined || given !== "") return given;
  if (!terminal.prompts)
    throw new UsageError("--from-snapshot needs a value here: new, last, none, or the id of a snapshot.");
  const snapshots = await pipelines.snapshots(name);
  return terminal.prompts.choose("Where does it continue?", [
    { value: "last", label: "last", hint: "where its sinks are" },
    { value: "none", label: "none", hint: "from the start; what its sinks hold is written over" },
    ...snapshots.map((snapshot) => ({
      value: snapshot.id,
      label: `${snapshot.created_at}  version ${snapshot.version}, ${snapshot.cause}`,
      hint: placesText(snapshot),
    })),
  ]);
}

function placesText({ sinks, savepoint }: PipelineSnapshotInfo): string {
  const places = Object.entries(sinks).map(
    ([sink, sources]) =>
      `${sink}: ${Object.entries(sources)
        .map((place) => place.join(" "))
        .join(", ")}`,
  );
  return [...places, ...(savepoint === undefined ? [] : [`Flink: ${savepoint}`])].join("; ");
}
