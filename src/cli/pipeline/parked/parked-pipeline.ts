import { visible } from "../../../base/text/visible.js";
import { PipelineError } from "../../../pipelines/changes/pipeline-error.js";
import type { PipelinePlan, PlannedSink } from "../../../pipelines/plan/pipeline-plan.js";
import {
  type KeyTexts,
  parkedOf,
  settleParkedOf,
  waitingOf,
} from "../../../pipelines/runner/parked-of-sinks.js";
import type { SinkWorld } from "../../../pipelines/sinks/opening.js";
import { type ParkedDocument, parkedDocument } from "../../../pipelines/sinks/parking/parked-document.js";
import { keyIndexes } from "../../../pipelines/state/parked-change.js";
import { settleParked } from "../../../pipelines/tasks/pipeline-task.js";
import { reportDiagnostics } from "../../compile/report-diagnostics.js";
import { confirm, declined } from "../../subgraph/confirm.js";
import { count } from "../../terminal/count.js";
import { exitCodes } from "../../terminal/exit-codes.js";
import type { Terminal } from "../../terminal/terminal.js";
import { UsageError } from "../../terminal/usage/usage-error.js";
import { type PipelineArguments, sinkPorts } from "../pipeline-world.js";
import type { SubgraphArguments } from "../sources/open-subgraphs.js";
import { chosenSinks, type DefinitionArguments, withPlan } from "../with-plan.js";
import { changeText, type ParkedOfSink, type ParkedOutput, printParked } from "./parked-output.js";

/** Arguments of the commands about parked changes. */
export interface ParkedArguments
  extends DefinitionArguments,
    SubgraphArguments,
    Pick<PipelineArguments, "state"> {
  readonly sink?: string | undefined;
  readonly color: boolean;
}

/** Arguments that choose changes by their key. */
export interface KeyArguments {
  readonly key?: readonly string[] | undefined;
}

/** Lists what the sinks of a pipeline keep aside; returns the exit code. */
export function listParked(args: ParkedArguments & ParkedOutput, terminal: Terminal): Promise<number> {
  return withSinks(args, terminal, async (plan, sinks, world) => {
    const found: ParkedOfSink[] = [];
    for (const sink of sinks) {
      const { changes = [] } = await parkedOf(plan, sink, world);
      const { name, schema } = sink;
      found.push(...changes.map((change) => ({ sink: name, ...parkedDocument(change, schema) })));
    }
    await printParked(found, args, terminal);
    return exitCodes.clean;
  });
}

/** Writes parked changes, as far as their sinks take them; returns the exit code. */
export function retryParkedChanges(
  args: ParkedArguments & KeyArguments,
  terminal: Terminal,
): Promise<number> {
  return withSinks(args, terminal, async (plan, sinks, world) => {
    const keyOfSink = (sink: PlannedSink): KeyTexts => keyOf(args.key ?? [], sink);
    const outcomes = await settleParked(plan, sinks, { how: "retry", keyOf: keyOfSink }, world);
    if (outcomes.length === 0) terminal.out("Nothing is parked.\n");
    for (const [{ name, schema }, { done, left }] of outcomes) {
      const documents = left.map((change) => parkedDocument(change, schema));
      terminal.out(retriedText(name, { done: done.length, left: left.length }, documents));
    }
    return outcomes.some(([, { left }]) => left.length > 0) ? exitCodes.diagnostics : exitCodes.clean;
  });
}

/** Gives the parked changes of a key up, after it has asked; returns the exit code. */
export function dropParkedChanges(
  args: ParkedArguments & KeyArguments & { readonly force: boolean },
  terminal: Terminal,
): Promise<number> {
  return withSinks(args, terminal, async (plan, [sink], world) => {
    if (!sink) return exitCodes.diagnostics;
    const key = keyOf(args.key ?? [], sink);
    const changes = await waitingOf(plan, sink, key, world);
    if (changes.length === 0) {
      terminal.err(`Sink ${visible(sink.name)} has parked nothing with this key.\n`);
      return exitCodes.diagnostics;
    }
    terminal.err(changes.map((change) => `${changeText(parkedDocument(change, sink.schema))}\n`).join(""));
    const question = dropQuestion(changes.length, sink.name);
    if (!(await confirm(question, args.force, terminal))) return declined(terminal);
    const { done } = await settleParkedOf(plan, sink, "drop", key, world);
    terminal.out(`${visible(sink.name)}: ${count(done.length, "change")} dropped.\n`);
    return exitCodes.clean;
  });
}

/** What is asked before changes are dropped. */
export function dropQuestion(changes: number, sink: string): string {
  return `Drop ${count(changes, "change")}? ${changes === 1 ? "It is" : "They are"} never written to ${visible(sink)}.`;
}

/** Plans a definition, and does some work with the sinks that are meant. Failures of sinks are reported. */
function withSinks(
  args: ParkedArguments,
  terminal: Terminal,
  work: (plan: PipelinePlan, sinks: readonly PlannedSink[], world: SinkWorld) => Promise<number>,
): Promise<number> {
  return withPlan(args, terminal, async ({ plan, report }) => {
    reportDiagnostics(report.diagnostics, { format: "text", color: args.color }, terminal);
    if (!plan) return exitCodes.diagnostics;
    const world = sinkPorts(args, terminal);
    try {
      return await work(plan, chosenSinks(plan, args.sink), world);
    } catch (error) {
      if (!(error instanceof PipelineError)) throw error;
      terminal.err(`${visible(error.message)}\n`);
      return error.isTemporary ? exitCodes.remote : exitCodes.diagnostics;
    } finally {
      world.close();
    }
  });
}

/** `<column>=<value>`, once for each column of the key. @throws UsageError */
function keyOf(given: readonly string[], { name, schema }: PlannedSink): KeyTexts {
  const columns = keyIndexes(schema).map((index) => schema.columns[index]?.name ?? "");
  return new Map(
    given.map((text) => {
      const [, column = "", value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
      if (columns.includes(column)) return [column, value];
      throw new UsageError(
        `--key: write <column>=<value>. The key of sink ${visible(name)} is ${columns.map(visible).join(", ")}.`,
      );
    }),
  );
}

/** The outcome for parked changes of a sink, for people. */
export function retriedText(
  sink: string,
  { done, left }: { readonly done: number; readonly left: number },
  refused: readonly ParkedDocument[],
): string {
  const rest = left === 0 ? "" : `, ${left} still parked`;
  return [
    `${visible(sink)}: ${count(done, "change")} written${rest}`,
    ...refused.filter(({ reason }) => reason !== null).map((change) => `  ${changeText(change)}`),
  ]
    .map((line) => `${line}\n`)
    .join("");
}
