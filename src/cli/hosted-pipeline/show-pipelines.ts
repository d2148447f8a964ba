import { stringify } from "yaml";
import type { Pipeline } from "../../api/contract.js";
import type { PipelineInfo } from "../../api/pipeline-operations.js";
import { visible } from "../../base/text/visible.js";
import { printJson } from "../remote/print-json.js";
import { openSession, type RemoteArguments } from "../remote/session.js";
import { type Column, listing, tableWidth } from "../subgraph/listing.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { type NamedArguments, openPipeline, versionGiven } from "./named-pipeline.js";

/** The format of a printed document. */
export type DocumentFormat = "json" | "table" | "yaml";

/** Prints a value as JSON or YAML. */
export function printValue(value: unknown, format: "json" | "yaml", terminal: Terminal): void {
  if (format === "json") {
    printJson(value, terminal);
    return;
  }
  const text = stringify(value, { lineWidth: 0 });
  terminal.out(text.split("\n").map(visible).join("\n"));
}

/** A pipeline as a definition that can be applied again. */
export function applicable({
  name,
  form,
  resource_size,
  version,
  desired_status,
  definition,
}: Shown): object {
  const { sources, transforms, sinks, description, job } = definition;
  return {
    name,
    ...(form === "pipeline" && { apiVersion: 3 }),
    ...(description !== undefined && { description }),
    version,
    status: desired_status,
    resource_size,
    ...(job === true && { job }),
    sources,
    transforms,
    sinks,
  };
}

type Shown = Pick<PipelineInfo, "name" | "form" | "resource_size" | "version" | "desired_status"> & {
  readonly definition: Pipeline["definition"];
};

/** Arguments of `pipeline get`. */
export interface GetArguments extends NamedArguments {
  readonly output: DocumentFormat;
  readonly definition: boolean;
  readonly version?: string | undefined;
}

/** Prints a pipeline; returns the exit code. */
export async function getPipeline(args: GetArguments, terminal: Terminal): Promise<number> {
  const version = versionGiven(args.version);
  const { name, pipelines } = await openPipeline(args, terminal);
  const info = await pipelines.describe(name, version);
  if (args.definition) {
    if (args.output === "json") printJson({ text: info.text, variables: info.variables }, terminal);
    else terminal.out(`${info.text.trimEnd().split("\n").map(visible).join("\n")}\n`);
    return exitCodes.clean;
  }
  if (args.output === "table") terminal.out(infoText(info));
  else printValue(info, args.output, terminal);
  return exitCodes.clean;
}

/** Prints the definition of a pipeline as JSON or YAML; returns the exit code. */
export async function getDefinition(
  args: RemoteArguments & { readonly name: string; readonly output: "json" | "yaml" },
  terminal: Terminal,
): Promise<number> {
  const { pipelines } = await openSession(args, terminal);
  const { sources, transforms, sinks } = (await pipelines.get(args.name)).definition;
  printValue({ sources, transforms, sinks }, args.output, terminal);
  return exitCodes.clean;
}

/** Prints a stream; returns the exit code. */
export function getStream(
  args: NamedArguments & Pick<GetArguments, "output">,
  terminal: Terminal,
): Promise<number> {
  return getPipeline({ ...args, definition: false }, terminal);
}

/** Prints the facts about a pipeline for people; returns the exit code. */
export async function showInfo(
  args: NamedArguments & { readonly version?: string | undefined },
  terminal: Terminal,
): Promise<number> {
  const version = versionGiven(args.version);
  const { name, pipelines } = await openPipeline(args, terminal);
  const info = await pipelines.describe(name, version);
  terminal.out(`${infoText(info)}\n${info.text.trimEnd().split("\n").map(visible).join("\n")}\n`);
  return exitCodes.clean;
}

/** A pipeline and its sinks, for people. */
export function infoText(info: PipelineInfo): string {
  const rows: readonly (readonly [string, string])[] = [
    ["Name", info.name],
    ["Version", String(info.version)],
    ["Status", `${info.desired_status}, ${info.runtime_status}`],
    ["Resource size", info.resource_size],
    ...(info.engine === undefined ? [] : [["Engine", engineText(info)] as const]),
    ...(info.description === null ? [] : [["Description", info.description] as const]),
    ...(info.request === null
      ? []
      : [["Under way", `${info.request.kind}, since ${info.request.since}`] as const]),
    ...(info.error === null ? [] : [["Error", info.error] as const]),
    ["Updated", info.updated_at],
    ...info.abis.map(({ url, abi }) => ["ABI", `${url} (${abi.length} characters)`] as const),
  ];
  const lines = rows.map(([title, text]) => `${title.padEnd(14)} ${visible(text)}`);
  return `${[...lines, ...nodeLines(info), ...sinkLines(info)].join("\n")}\n`;
}

/** `flink`, or `flink, integers of 256 bits as text` */
function engineText({ engine, integers }: PipelineInfo): string {
  return integers === "string" ? `${engine}, integers of 256 bits as text` : (engine ?? "graphloom");
}

/** A line for each source and transform whose rows are known. */
function nodeLines({ nodes }: PipelineInfo): readonly string[] {
  return nodes.flatMap(({ name, type, rows, rows_per_second: rate = 0 }) =>
    rows === undefined ? [] : [`  ${visible(name)} (${type}): ${count(rows, "row")}, ${rate} rows/s`],
  );
}

/** A line for each sink of a pipeline. */
export function sinkLines({ sinks }: PipelineInfo): readonly string[] {
  return Object.entries(sinks).flatMap(([name, sink]) => {
    const { state, rows, rows_per_second: rate, blocks, lag, why, retry_at: retry, parked } = sink;
    const { waiting = 0 } = sink;
    const unread = waiting > 0 ? [`${count(waiting, "row")} of topics to read`] : [];
    const speed = state === "progressing" || rate > 0 ? [`${rate} rows/s`] : [];
    const places = Object.entries(blocks).map(([source, block]) => {
      const behind = lag[source] === undefined ? "" : ` (${lag[source]} behind)`;
      return `${visible(source)} at block ${block}${behind}`;
    });
    const kept = parked > 0 ? [`${count(parked, "row")} parked`] : [];
    const line = [
      `  ${visible(name)}: ${state}`,
      count(rows, "row"),
      ...speed,
      ...places,
      ...unread,
      ...kept,
    ].join(", ");
    return why === null
      ? [line]
      : [line, `    ${visible(why)}${retry === null ? "" : ` (next try ${retry})`}`];
  });
}

/** Arguments of `pipeline list`. */
export interface ListArguments extends RemoteArguments {
  readonly output: DocumentFormat;
  readonly outputVerbosity: "summary" | "usablewithapplycmd" | "all";
  readonly includeRuntimeDetails: boolean;
}

/** Lists the pipelines of the project, streams included; returns the exit code. */
export function listPipelines(args: ListArguments, terminal: Terminal): Promise<number> {
  return list(args, terminal, undefined);
}

/** Lists the streams of the project; returns the exit code. */
export function listStreams(
  args: RemoteArguments & Pick<ListArguments, "output">,
  terminal: Terminal,
): Promise<number> {
  return list({ ...args, outputVerbosity: "summary", includeRuntimeDetails: true }, terminal, "stream");
}

/** @param form only pipelines of one form */
async function list(
  args: ListArguments,
  terminal: Terminal,
  form: PipelineInfo["form"] | undefined,
): Promise<number> {
  const { pipelines } = await openSession(args, terminal);
  const every = await pipelines.list();
  const all = every.filter(({ type }) => form === undefined || type === form);
  const needsInfo =
    args.includeRuntimeDetails || args.outputVerbosity !== "summary" || args.output === "table";
  const infos = new Map<string, PipelineInfo>();
  if (needsInfo) for (const { name } of all) infos.set(name, await pipelines.describe(name));
  if (args.output !== "table") {
    printValue(
      all.map((one) => shownIn(one, infos.get(one.name), args)),
      args.output,
      terminal,
    );
    return exitCodes.clean;
  }
  const columns: readonly Column<Pipeline>[] = [
    { title: "NAME", cell: ({ name }) => name },
    { title: "VERSION", cell: ({ version }) => String(version ?? "-") },
    { title: "STATUS", cell: ({ name }) => infos.get(name)?.desired_status ?? "-" },
    ...(args.includeRuntimeDetails
      ? [{ title: "RUNTIME", cell: ({ name }: Pipeline) => infos.get(name)?.runtime_status ?? "-" }]
      : []),
    { title: "SIZE", cell: ({ resource_size: size }) => size ?? "-" },
    { title: "UPDATED", cell: ({ updated_at: updated }) => updated },
    {
      title: "DESCRIPTION",
      cell: ({ definition: { description } }) => description ?? "-",
      mayShrink: true,
    },
  ];
  const what = form === "stream" ? "streams" : "pipelines";
  const others = every.length === 0 ? "" : " For pipelines with apiVersion, run graphloom pipeline list.";
  terminal.out(
    all.length === 0 ? `There are no ${what} yet.${others}\n` : listing(columns, all, tableWidth(terminal)),
  );
  return exitCodes.clean;
}

function shownIn(
  pipeline: Pipeline,
  info: PipelineInfo | undefined,
  { outputVerbosity, includeRuntimeDetails }: ListArguments,
): object {
  const { name, status, version, resource_size, updated_at, definition } = pipeline;
  const runtime =
    includeRuntimeDetails && info ? { runtime_status: info.runtime_status, sinks: info.sinks } : {};
  if (outputVerbosity === "all") return { ...pipeline, ...runtime };
  if (outputVerbosity === "usablewithapplycmd" && info)
    return { ...applicable({ ...info, definition }), ...runtime };
  return { name, status, version, resource_size, updated_at, ...runtime };
}

/** Arguments of `pipeline export`. */
export interface ExportArguments extends RemoteArguments {
  readonly name?: string | undefined;
  readonly all: boolean;
}

/** Prints definitions that can be applied again; returns the exit code. */
export async function exportPipelines(args: ExportArguments, terminal: Terminal): Promise<number> {
  const { name } = args;
  if ((name === undefined) !== args.all)
    throw new UsageError("Pass the name of a pipeline, or --all for every pipeline of the project.");
  const { pipelines } = await openSession(args, terminal);
  const wanted = (await pipelines.list()).filter((one) => args.all || one.name === name);
  if (wanted.length === 0 && name !== undefined) await pipelines.describe(name);
  const documents: string[] = [];
  for (const one of wanted) {
    const info = await pipelines.describe(one.name);
    documents.push(stringify(applicable({ ...info, definition: one.definition }), { lineWidth: 0 }));
  }
  terminal.out(documents.map((text) => text.split("\n").map(visible).join("\n")).join("---\n"));
  return exitCodes.clean;
}

/** Prints how far the sinks of a pipeline are; returns the exit code. */
export async function showState(
  args: NamedArguments & { readonly output: "json" | "yaml" },
  terminal: Terminal,
): Promise<number> {
  const { name, pipelines } = await openPipeline(args, terminal);
  printValue(await pipelines.state(name), args.output, terminal);
  return exitCodes.clean;
}
