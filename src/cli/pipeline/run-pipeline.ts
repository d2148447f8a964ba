import { resolve } from "node:path";
import { visible } from "../../base/visible.js";
import { flowDataset } from "../../flows/definition/flow-dataset.js";
import { secretVariable } from "../../flows/definition/secret-variable.js";
import type { FlowPlan, PlannedSink, PlannedSource } from "../../flows/plan/flow-plan.js";
import { runFlow, type SinkState } from "../../flows/runner/run-flow.js";
import { SinkError } from "../../flows/sinks/sink.js";
import type { Source } from "../../flows/sources/source.js";
import { SourceError } from "../../flows/sources/source-error.js";
import { QueryError } from "../../flows/sql/engine.js";
import { TransformError } from "../../flows/transforms/row-transform.js";
import { openClickHouse } from "../../node/clickhouse/open-clickhouse.js";
import { openFlowState } from "../../node/flow-state/open-flow-state.js";
import { openKafka } from "../../node/kafka/open-kafka.js";
import { openMysqlDatabase } from "../../node/mysql/open-mysql.js";
import { PackageMissingError } from "../../node/optional-package.js";
import { openScript } from "../../node/quickjs/open-script.js";
import { openTableFiles } from "../../node/table-files.js";
import { createNodeWorld } from "../../node/world.js";
import { ChainError, ReorgError } from "../../runtime/chain/chain.js";
import type { VerifyMode } from "../../runtime/indexer/verification.js";
import type { Database } from "../../store/database/database.js";
import { DatabaseError, openForeignDatabase } from "../../store/open.js";
import { createOutgoing } from "../../web/outgoing/outgoing.js";
import { reportDiagnostics } from "../compile/report-diagnostics.js";
import { findNodes } from "../run/find-nodes.js";
import { exitCodes } from "../terminal/exit-codes.js";
import { archiveToRead } from "../terminal/given-archive.js";
import type { ReportArguments } from "../terminal/options.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage-error.js";
import { FlowDisplay } from "./flow-display.js";
import { openChainSource } from "./open-chain-source.js";
import { openEntitySource } from "./open-entity-source.js";
import {
  databaseFailure,
  type OpenSubgraphs,
  openSubgraphs,
  placeOfSubgraphs,
  type SubgraphArguments,
} from "./open-subgraphs.js";
import { openEngine, planFile } from "./plan-file.js";
import { stateFolder } from "./state-folder.js";

/** Arguments of `pipeline run`. */
export interface RunPipelineArguments extends ReportArguments, SubgraphArguments {
  readonly configPath: string;
  readonly rpc?: readonly string[] | undefined;
  readonly var?: readonly string[] | undefined;
  readonly archive?: string | undefined;
  readonly offline: boolean;
  readonly patience: number;
  readonly verify: VerifyMode;
  readonly state?: string | undefined;
}

/** What a script may use on the user's own machine. */
const scriptLimits = { memory: 64, rowTime: 1_000, batchTime: 60_000 };

/** Runs a definition until its sources end or the user interrupts; returns the exit code. */
export async function runPipeline(args: RunPipelineArguments, terminal: Terminal): Promise<number> {
  let subgraphs: OpenSubgraphs | undefined;
  try {
    const { plan, report } = await planFile(args.configPath, args.var ?? [], terminal, async () => {
      subgraphs = await openSubgraphs(requiredPlace(args, terminal));
      return subgraphs.catalog;
    });
    reportDiagnostics(report.diagnostics, args, terminal);
    return plan ? await runPlan(plan, args, subgraphs?.database, terminal) : exitCodes.diagnostics;
  } catch (error) {
    if (error instanceof DatabaseError) {
      terminal.err(`The database of the subgraphs cannot be read: ${visible(databaseFailure(error))}\n`);
      return exitCodes.remote;
    }
    if (!(error instanceof PackageMissingError)) throw error;
    terminal.err(`${error.message}\n`);
    return exitCodes.usage;
  } finally {
    await subgraphs?.database.close();
  }
}

/** @throws UsageError */
function requiredPlace(args: RunPipelineArguments, terminal: Terminal): string {
  const place = placeOfSubgraphs(args, terminal);
  if (place !== undefined) return place;
  throw new UsageError(
    "No database of subgraphs, and a source reads their entities. Pass --database or --data, as the command has them that indexes the subgraphs.",
  );
}

async function runPlan(
  plan: FlowPlan,
  args: RunPipelineArguments,
  database: Database | undefined,
  terminal: Terminal,
): Promise<number> {
  const archive = archiveToRead(args, terminal);
  const networks = networksOf(plan);
  const nodes =
    args.offline || networks.length === 0
      ? new Map<string, string>()
      : findNodes(args.rpc ?? [], networks, terminal.env ?? {});
  const missing = args.offline ? undefined : networks.find((network) => !nodes.has(network));
  if (missing !== undefined) throw new UsageError(`No node of ${missing}. Pass --rpc ${missing}=<url>.`);
  const display = new FlowDisplay(terminal, () => performance.now());
  const world = createNodeWorld(terminal.signal);
  // The definition is the user's own, and so is the machine.
  const outgoing = createOutgoing({ allowsPrivate: true }, createNodeWorld());
  const say = (text: string): void => display.print(`${visible(text)}\n`);
  const { signal } = terminal;
  const chains = {
    ...{ nodes, archive, say, signal },
    patience: args.patience * 1000,
    verify: args.verify,
    onWait: (why: string) => display.wait(why),
  };
  const running = new Set<Promise<void>>();
  const openSource = (source: PlannedSource, finalOnly: boolean, sink: PlannedSink): Source => {
    const { entity } = source;
    if (!entity || !database) return openChainSource(source, finalOnly, chains);
    const { name: flow, job } = plan;
    return openEntitySource({ ...source, entity }, finalOnly, sink, {
      flow,
      database,
      job,
      running,
      say,
      signal,
    });
  };
  terminal.onWriting(true);
  try {
    const ends = await runFlow(
      plan,
      {
        out: (text) => terminal.out(text),
        secret: (name) => terminal.env?.[secretVariable(name)],
        openDatabase: (address) => openForeignDatabase(address, createNodeWorld()),
        openMysql: openMysqlDatabase,
        openClickHouse,
        openKafka: (address) => openKafka(address),
        openFiles: (path) => openTableFiles(resolve(terminal.cwd, path)),
        openState: (owner) => openFlowState(stateFolder(args.state, terminal), owner),
        outgoing,
        openEngine,
        openScript: (program) => openScript(program, scriptLimits),
        openSource,
        clock: world,
      },
      (sink, state) => display.update(sink, state),
      terminal.signal,
    );
    await Promise.all(running);
    display.end();
    return report(ends, terminal);
  } finally {
    display.end();
    outgoing.close();
    terminal.onWriting(false);
  }
}

function networksOf({ sources }: FlowPlan): readonly string[] {
  const names = sources.flatMap(({ definition }) =>
    definition.type === "dataset"
      ? [
          flowDataset(definition.settings.dataset_name?.value ?? "", definition.settings.version?.value)
            .network,
        ]
      : [],
  );
  return [...new Set(names)];
}

/** Says how each sink ended; returns the exit code. @throws what is no failure of a node, a transform or a sink */
function report(ends: ReadonlyMap<string, SinkState>, terminal: Terminal): number {
  let code: number = terminal.signal.aborted ? exitCodes.interrupted : exitCodes.clean;
  for (const [name, state] of ends) {
    if (state.kind !== "halted" || (terminal.signal.aborted && isOfNode(state.error))) continue;
    const { error } = state;
    const isOfPlace =
      error instanceof SinkError || error instanceof SourceError || error instanceof TransformError;
    const isOfUser = error instanceof QueryError || error instanceof PackageMissingError;
    const isKnown = isOfPlace || isOfUser || isOfNode(error);
    if (!isKnown) throw error;
    terminal.err(`Sink ${visible(name)} has stopped: ${visible((error as Error).message)}\n`);
    code = isOfNode(error) || (isOfPlace && error.isTemporary) ? exitCodes.remote : exitCodes.diagnostics;
  }
  return code;
}

function isOfNode(error: unknown): boolean {
  return error instanceof ChainError || error instanceof ReorgError;
}
