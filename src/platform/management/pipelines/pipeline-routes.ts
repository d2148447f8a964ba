import type { FastifyInstance } from "fastify";
import { pipelineOperations } from "../../../api/pipeline-operations.js";
import { present } from "../../../base/invariant.js";
import { addExtension, type ExtensionAsk } from "../../http/add-extension.js";
import { doerOf } from "../../http/doer-of.js";
import { goneOf } from "../../http/limits/gone-of.js";
import { OpenStreams } from "../../http/limits/open-streams.js";
import { callerOf } from "../../http/roles.js";
import { checkOnEngine } from "../../pipelines/check-on-engine.js";
import { compareDefinition } from "../../pipelines/compare-definition.js";
import {
  applyPipeline,
  cancelPipelineChange,
  resizePipeline,
  setPipelineStatus,
} from "../../pipelines/manage-pipelines.js";
import {
  findPipelineVersion,
  listPipelineVersions,
  type PipelineRow,
} from "../../pipelines/pipeline-rows.js";
import type { Pipelines } from "../../pipelines/pipelines.js";
import { hostOf } from "../../pipelines/project-host.js";
import { requirePipeline } from "../../pipelines/require-pipeline.js";
import { streamRows } from "../../pipelines/send-rows.js";
import { listSnapshots } from "../../pipelines/snapshot-rows.js";
import { createSnapshot, requireSnapshot } from "../../pipelines/snapshots.js";
import { Problem } from "../../problem.js";
import { addOperations, type Handlers } from "../operations.js";
import { contractOperations } from "./contract-operations.js";
import { contractText } from "./definition-text.js";
import { shownInfo, shownSnapshot, shownVersion } from "./shown-pipeline.js";
import { taskRoutes } from "./task-routes.js";

/** Seconds that a preview runs. */
const usualTtl = 180;

const longestTtl = 600;

/** The routes of pipelines: those of the management API, and extensions. */
export function pipelineRoutes(app: FastifyInstance, pipelines: Pipelines): void {
  const { platform, engine } = pipelines;
  const { database } = platform;
  const {
    applyPipeline: apply,
    checkPipeline: check,
    comparePipeline: compare,
    describePipeline: describe,
    listPipelineVersions: versions,
    setPipelineStatus: setStatus,
    resizePipeline: resize,
    cancelPipelineChange: cancel,
    listPipelineSnapshots: snapshots,
    createPipelineSnapshot: snapshot,
  } = pipelineOperations;
  const info = async (row: PipelineRow, version = row.version) => {
    const found = await findPipelineVersion(database, row, version);
    if (!found) throw new Problem("not-found", `"${row.name}" has no version ${version}.`);
    return shownInfo(row, found);
  };
  const required = ({ path: { name = "" }, request }: ExtensionAsk): Promise<PipelineRow> =>
    requirePipeline(database, { project: callerOf(request).project, name });

  /** Where a pipeline continues, according to `from_snapshot`. */
  const beginsOf = async (
    asked: string | undefined,
    request: ExtensionAsk["request"],
    name: string,
  ): Promise<string | undefined> => {
    if (asked === undefined) return undefined;
    if (asked === "new" || asked === "last") return "continue";
    if (asked === "none") return "anew";
    await requireSnapshot(database, { project: callerOf(request).project, name }, asked);
    return asked;
  };

  addOperations(app, { ...contractOperations(pipelines), ...previewOperation(pipelines) });
  inspectRoute(app, pipelines);
  taskRoutes(app, pipelines);

  addExtension(app, apply, { role: "Editor" }, async ({ path: { name = "" }, body, request }) => {
    const { change, pipeline, findings } = await applyPipeline(pipelines, doerOf(request), {
      name,
      definition: { text: body.text, variables: body.variables ?? {} },
      size: body.resource_size,
      description: body.description,
      status: body.status,
      isNew: body.create ?? false,
      engine: { engine: body.engine, integers: body.integers },
      begins: body.on_change ?? (await beginsOf(body.from_snapshot, request, name)),
      signal: goneOf(request),
    });
    return { data: { change, pipeline: await info(pipeline), findings } };
  });
  addExtension(app, compare, { role: "Editor" }, async ({ path: { name = "" }, body, request }) => {
    const named = { project: callerOf(request).project, name };
    const definition = { text: body.text, variables: body.variables ?? {} };
    const engine = { engine: body.engine, integers: body.integers };
    return {
      data: { sinks: await compareDefinition(pipelines, named, definition, engine, goneOf(request)) },
    };
  });
  addExtension(app, check, { role: "Viewer" }, async ({ body, request }) => {
    const host = hostOf(platform, callerOf(request).project);
    const { findings, meaning } = await checkOnEngine(
      engine,
      { text: body.text, variables: body.variables ?? {} },
      host,
      goneOf(request),
    );
    return { data: { findings, nodes: meaning?.nodes ?? [] } };
  });
  addExtension(app, describe, { role: "Viewer" }, async (ask) => ({
    data: await info(await required(ask), ask.query.version),
  }));
  addExtension(app, versions, { role: "Viewer" }, async (ask) => ({
    data: (await listPipelineVersions(database, await required(ask))).map(shownVersion),
  }));
  addExtension(app, setStatus, { role: "Editor" }, async ({ path: { name = "" }, body, request }) => {
    const { status, restart = false, from_snapshot } = body;
    const kind = status === "ACTIVE" ? (restart ? ("restart" as const) : ("start" as const)) : null;
    const change = { status, request: kind, begins: await beginsOf(from_snapshot, request, name) };
    return { data: await info(await setPipelineStatus(pipelines, doerOf(request), name, change)) };
  });
  addExtension(app, resize, { role: "Editor" }, async ({ path: { name = "" }, body, request }) => ({
    data: await info(await resizePipeline(pipelines, doerOf(request), name, body.resource_size)),
  }));
  addExtension(app, cancel, { role: "Editor" }, async ({ path: { name = "" }, request }) => ({
    data: await info(await cancelPipelineChange(pipelines, doerOf(request), name)),
  }));
  addExtension(app, snapshots, { role: "Viewer" }, async (ask) => ({
    data: (await listSnapshots(database, await required(ask), ask.query.version)).map(shownSnapshot),
  }));
  addExtension(app, snapshot, { role: "Editor" }, async ({ path: { name = "" }, request }) => ({
    data: shownSnapshot(await createSnapshot(pipelines, doerOf(request), name, goneOf(request))),
  }));
}

/** The route that shows rows which pass the nodes of a pipeline, as server-sent events. */
function inspectRoute(app: FastifyInstance, pipelines: Pipelines): void {
  const { platform } = pipelines;
  const streams = new OpenStreams(app);
  addExtension(app, pipelineOperations.inspectPipeline, { role: "Viewer" }, async (ask) => {
    const { path, query, request, reply } = ask;
    const { project } = callerOf(request);
    const named = { project, name: path.name ?? "" };
    const stream = await streamRows(pipelines, named, namesIn(query.nodes), (leave) =>
      streams.open(reply, platform.world, leave),
    );
    return stream.body;
  });
}

function namesIn(list: string | undefined): readonly string[] | undefined {
  const names = list?.split(",").filter((name) => name !== "") ?? [];
  return names.length === 0 ? undefined : names;
}

/** The operation that runs a definition for a time, with sinks that drop all rows. */
function previewOperation({ previews }: Pipelines): Pick<Handlers, "previewPipeline"> {
  return {
    previewPipeline: async ({ body, request }) => {
      const { definition, ttl_seconds = usualTtl } = present(body, "a preview has a body");
      const ttl = Math.min(ttl_seconds, longestTtl);
      const isWithout = Object.keys(definition.sinks).length === 0;
      const nodes = [definition.sources, definition.transforms].flatMap((part) => Object.keys(part));
      const { name, expiresAt } = await previews.begin(
        callerOf(request).project,
        (own, isLast) => {
          const sinks = isWithout ? sinksAt(nodes.filter(isLast)) : definition.sinks;
          return contractText(own, { definition: { ...definition, sinks } });
        },
        ttl,
        goneOf(request),
      );
      return {
        pipeline_name: name.name,
        ttl_seconds: ttl,
        expires_at: new Date(expiresAt).toISOString(),
      };
    },
  };
}

/** A sink that drops the rows of each node. */
function sinksAt(nodes: readonly string[]): Readonly<Record<string, object>> {
  return Object.fromEntries(nodes.map((from) => [`dropped_${from}`, { type: "blackhole", from }]));
}
