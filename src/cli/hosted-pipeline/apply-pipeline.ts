import { ApiProblem } from "../../api/answers/problem.js";
import type { DesiredStatus, SentApply, SentComparison } from "../../api/pipeline-operations.js";
import type { PipelinesApi } from "../../api/pipelines-api.js";
import { type SinkChange, sinkChangeText } from "../../base/sink-change.js";
import { visible } from "../../base/text/visible.js";
import { reportDiagnostics } from "../compile/report-diagnostics.js";
import { openSession, type RemoteArguments } from "../remote/session.js";
import { confirm, declined } from "../subgraph/confirm.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { isDocument, type ReportArguments } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { type DefinitionFile, diagnosticsOf, readDefinitionFile } from "./definition-file.js";
import { snapshotChosen } from "./snapshots.js";

/** What to do with sinks whose rows are computed differently than before. */
export interface ChangeChoice {
  readonly reset?: boolean | undefined;
  readonly recreate?: boolean | undefined;
  readonly force?: boolean | undefined;
  readonly fromSnapshot?: string | undefined;
}

/** Arguments of `pipeline apply`. */
export interface ApplyArguments extends RemoteArguments {
  readonly configPath: string;
  readonly var?: readonly string[] | undefined;
  readonly status?: DesiredStatus | undefined;
  readonly fromSnapshot?: string | undefined;
  readonly useLatestSnapshot?: boolean | undefined;
  readonly engine?: string | undefined;
  readonly integers?: "decimal" | "string" | undefined;
  readonly reset?: boolean | undefined;
  readonly recreate?: boolean | undefined;
  readonly force?: boolean | undefined;
  readonly color: boolean;
}

/** Creates or changes a pipeline; returns the exit code. */
export async function applyPipeline(args: ApplyArguments, terminal: Terminal): Promise<number> {
  const file = await readDefinitionFile(args.configPath, args.var ?? [], terminal);
  if (!file) return exitCodes.diagnostics;
  const { source, variables, name = "unnamed" } = file;
  const { pipelines } = await openSession(args, terminal);
  const given = args.useLatestSnapshot ? "last" : args.fromSnapshot;
  const snapshot = await snapshotChosen(given, name, pipelines, terminal);
  return reportingMistakes(file, args, terminal, async () => {
    const definition = { text: source.text, variables };
    const choice = { ...args, fromSnapshot: snapshot };
    const engine = {
      ...(args.engine !== undefined && { engine: args.engine }),
      ...(args.integers !== undefined && { integers: args.integers }),
    };
    const settled = await settleSinks(name, { ...definition, ...engine }, choice, pipelines, terminal);
    if (!settled) return declined(terminal);
    const { change, pipeline, findings } = await pipelines.apply(name, {
      ...definition,
      ...settled,
      ...(args.status !== undefined && { status: args.status }),
      ...(snapshot !== undefined && { from_snapshot: snapshot }),
      ...engine,
    });
    reportDiagnostics(diagnosticsOf(findings, source), { format: "text", color: args.color }, terminal);
    const said = {
      created: `Created ${visible(pipeline.name)}, version ${pipeline.version}.`,
      updated: `Updated ${visible(pipeline.name)} to version ${pipeline.version}.`,
      unchanged: `${visible(pipeline.name)} is already as the definition says (version ${pipeline.version}).`,
    }[change];
    terminal.out(`${said}\n`);
    if (change !== "unchanged" && pipeline.desired_status === "ACTIVE")
      terminal.out(`Watch it: graphloom ${groupOf(pipeline.form)} ${visible(pipeline.name)}\n`);
    return exitCodes.clean;
  });
}

function groupOf(form: "pipeline" | "stream"): string {
  return form === "stream" ? "stream logs" : "pipeline monitor";
}

/** Arguments of `stream validate`. */
export interface CheckArguments extends RemoteArguments, ReportArguments {
  readonly configPath: string;
  readonly var?: readonly string[] | undefined;
}

/** Checks a definition on the server, which knows secrets and subgraphs; returns the exit code. */
export async function checkOnServer(args: CheckArguments, terminal: Terminal): Promise<number> {
  const file = await readDefinitionFile(args.configPath, args.var ?? [], terminal);
  if (!file) return exitCodes.diagnostics;
  const { pipelines } = await openSession(args, terminal);
  const { findings } = await pipelines.check({ text: file.source.text, variables: file.variables });
  reportDiagnostics(diagnosticsOf(findings, file.source), args, terminal);
  if (findings.some(({ severity }) => severity === "error")) return exitCodes.diagnostics;
  if (!isDocument(args.format)) terminal.out(`${visible(args.configPath)} is valid\n`);
  return exitCodes.clean;
}

/**
 * Does work with a definition, and prints the mistakes that a server reports in it, each at its place.
 * @throws other errors of the work
 */
export async function reportingMistakes(
  { source }: DefinitionFile,
  { color }: Pick<ApplyArguments, "color">,
  terminal: Terminal,
  work: () => Promise<number>,
): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const isOfText = error instanceof ApiProblem && error.errors.some(({ code }) => code !== undefined);
    if (!isOfText) throw error;
    reportDiagnostics(diagnosticsOf(error.errors, source), { format: "text", color }, terminal);
    return exitCodes.diagnostics;
  }
}

/**
 * Explains what a definition does to the existing sinks of a pipeline, before it is applied. Asks before something is
 * deleted.
 * @returns the choice to send with the definition; `undefined` not to apply it
 * @throws UsageError if there is no one to ask, or sinks cannot start over
 */
export async function settleSinks(
  name: string,
  definition: SentComparison,
  choice: ChangeChoice,
  pipelines: Pick<PipelinesApi, "compare">,
  terminal: Terminal,
): Promise<Pick<SentApply, "on_change"> | undefined> {
  const resetsAll = choice.reset === true || choice.recreate === true;
  // Every sink begins where the user has said.
  if (choice.fromSnapshot !== undefined && !resetsAll) return {};
  const all = (await pipelines.compare(name, definition)).filter(({ change }) => change !== "same");
  const how = choice.recreate ? "recreate" : "reset";
  const isReset = ({ change }: SinkChange): boolean =>
    change === "resets" || (resetsAll && change === "continues");
  for (const sink of all) terminal.out(`${sinkChangeText(sink, isReset(sink) ? how : undefined)}\n`);
  const reset = all.filter(isReset);
  if (reset.length === 0) return {};
  const fixed = reset.filter((sink) => sink[how] === null);
  if (fixed.length > 0)
    throw new UsageError(
      `${fixed.map(({ sink }) => visible(sink)).join(", ")}: cannot start over like this. Nothing was changed.`,
    );
  const names = reset.map(({ sink }) => visible(sink)).join(", ");
  if (!(await confirm(`Start over with ${names}?`, choice.force ?? false, terminal))) return undefined;
  return { on_change: resetsAll ? how : "settle" };
}
