import type { FastifyRequest } from "fastify";
import type { NewPipeline } from "../../../api/contract.js";
import { present } from "../../../base/invariant.js";
import type { Finding } from "../../../pipelines/host/pipeline-engine.js";
import { doerOf } from "../../http/doer-of.js";
import { goneOf } from "../../http/limits/gone-of.js";
import { callerOf } from "../../http/roles.js";
import { checkOnEngine } from "../../pipelines/check-on-engine.js";
import { applyPipeline, removePipeline, setPipelineStatus } from "../../pipelines/manage-pipelines.js";
import { countPipelineErrors, readPipelineLines } from "../../pipelines/pipeline-lines.js";
import { findPipelineVersion, listPipelines, type PipelineRow } from "../../pipelines/pipeline-rows.js";
import type { Pipelines } from "../../pipelines/pipelines.js";
import { hostOf } from "../../pipelines/project-host.js";
import { requirePipeline } from "../../pipelines/require-pipeline.js";
import { Problem } from "../../problem.js";
import { levelsIn, logQueryOf } from "../log-query.js";
import type { Handlers } from "../operations.js";
import { decodePageToken, pagination, usualPageSize } from "../pages.js";
import { contractText } from "./definition-text.js";
import { shownPipeline, statusOf, statusOfRunning } from "./shown-pipeline.js";

/** Names of pipelines that mean something else in paths. */
const reserved: ReadonlySet<string> = new Set(["validate", "preview", "check"]);

/** The pipeline operations of the contract, except previews. */
export function contractOperations(pipelines: Pipelines): Partial<Handlers> {
  const { platform, engine, previews } = pipelines;
  const { database, world } = platform;
  const previewOf = (request: FastifyRequest, name: string) =>
    previews.find({ project: callerOf(request).project, name });
  const shown = async (row: PipelineRow) =>
    shownPipeline(
      row,
      present(await findPipelineVersion(database, row, row.version), "a pipeline has a version"),
    );
  return {
    listPipelines: async ({ query, request }) => {
      const size = query.page_size ?? query.pageSize ?? usualPageSize;
      const token = query.page_token ?? query.pageToken;
      const after = token === undefined || token === "" ? undefined : decodePageToken(token).name;
      const rows = await listPipelines(database, callerOf(request).project, {
        limit: size + 1,
        ...(after !== undefined && { after }),
        ...(query.type !== undefined && { form: query.type }),
      });
      const page = rows.slice(0, size);
      const last = rows.length > size ? page.at(-1) : undefined;
      return {
        data: await Promise.all(page.map(shown)),
        pagination: pagination(size, last && { name: last.name, version: "" }),
      };
    },
    createPipeline: async ({ body, request }) => {
      const asked = present(body, "a pipeline has a body");
      const name = givenName(asked);
      const wrong = faultOfName(name);
      if (name === undefined || wrong !== undefined)
        throw new Problem("bad-request", "The pipeline has no valid name.", { errors: [nameFault(wrong)] });
      const { pipeline } = await applyPipeline(pipelines, doerOf(request), {
        name,
        definition: { text: contractText(name, asked), variables: {} },
        size: asked.resource_size,
        description: asked.description,
        isNew: true,
        signal: goneOf(request),
      });
      return shown(pipeline);
    },
    validatePipeline: async ({ body, request }) => {
      const asked = present(body, "a draft has a body");
      const name = givenName(asked);
      const wrong = faultOfName(name);
      const text = contractText(wrong === undefined && name !== undefined ? name : "draft", asked);
      const host = hostOf(platform, callerOf(request).project);
      const { findings } = await checkOnEngine(engine, { text, variables: {} }, host, goneOf(request));
      const errors = findings.filter(({ severity }) => severity === "error").map(shownFinding);
      const all = wrong === undefined ? errors : [nameFault(wrong), ...errors];
      const warnings = findings.filter(({ severity }) => severity === "warning").map(shownFinding);
      return { valid: all.length === 0, errors: all, warnings };
    },
    getPipeline: async ({ path: { name }, request }) =>
      shown(await requirePipeline(database, { project: callerOf(request).project, name })),
    deletePipeline: async ({ path: { name }, request }) => {
      if (previews.end({ project: callerOf(request).project, name })) return undefined;
      await removePipeline(pipelines, doerOf(request), name);
      return undefined;
    },
    pausePipeline: async ({ path: { name }, request }) => {
      await setPipelineStatus(pipelines, doerOf(request), name, { status: "PAUSED", request: null });
      return undefined;
    },
    resumePipeline: async ({ path: { name }, request }) => {
      await setPipelineStatus(pipelines, doerOf(request), name, { status: "ACTIVE", request: "start" });
      return undefined;
    },
    restartPipeline: async ({ path: { name }, body, request }) => {
      const begins = body?.clearState === true ? "anew" : "continue";
      const change = { status: "ACTIVE", request: "restart", begins } as const;
      await setPipelineStatus(pipelines, doerOf(request), name, change);
      return undefined;
    },
    getPipelineLogs: async ({ path: { name }, query, request }) => {
      const wanted = logQueryOf({ ...query, levels: levelsIn("logLevels", query.logLevels) });
      const page =
        previewOf(request, name)?.lines(wanted) ??
        (await readPipelineLines(
          database,
          await requirePipeline(database, { project: callerOf(request).project, name }),
          wanted,
        ));
      const results = page.lines.map(({ text, timestamp, level }) => ({ text, timestamp, level }));
      return { data: { results, ...(page.cursor !== undefined && { cursor: page.cursor }) } };
    },
    getPipelineErrorCount: async ({ path: { name }, query: { since_hours: hours = 6 }, request }) => {
      const since = world.now() - hours * 3_600_000;
      const preview = previewOf(request, name);
      if (preview) return { data: { error_count: preview.errorsSince(since) } };
      const named = await requirePipeline(database, { project: callerOf(request).project, name });
      return { data: { error_count: await countPipelineErrors(database, named, since) } };
    },
    getPipelineStatus: async ({ path: { name }, request }) => {
      const preview = previewOf(request, name);
      if (preview) return { name, status: statusOfRunning(preview.runtime), errors: errorsOf(preview) };
      const row = await requirePipeline(database, { project: callerOf(request).project, name });
      return { name, status: statusOf(row), errors: errorsOf(row) };
    },
    getPipelineState: async ({ path: { name }, request }) => {
      const row =
        previewOf(request, name) ??
        (await requirePipeline(database, { project: callerOf(request).project, name }));
      const sinks = Object.entries(row.sinks).map(([sink, { state, rows, blocks }]) => [
        sink,
        { state, rows, sources: blocks },
      ]);
      return { data: Object.fromEntries(sinks) } as never;
    },
  };
}

/** Why a pipeline or its sinks do not run. */
function errorsOf({
  error,
  sinks,
}: Pick<PipelineRow, "error" | "sinks">): readonly { readonly message: string }[] {
  if (error !== null) return [{ message: error }];
  return Object.entries(sinks).flatMap(([sink, { state, why }]) =>
    why === undefined || state === "idle" ? [] : [{ message: `${sink}: ${why}` }],
  );
}

function givenName({ name, definition }: NewPipeline): string | undefined {
  return name ?? definition.name;
}

function faultOfName(name: string | undefined): string | undefined {
  if (name === undefined) return "is required, beside the definition or in it";
  if (!/^[a-z0-9](?:[a-z0-9-]{0,47}[a-z0-9])?$/.test(name))
    return "must have at most 49 lower-case letters, digits and hyphens, and begin and end with a letter or digit";
  return reserved.has(name) ? "is reserved" : undefined;
}

function nameFault(message = "is required"): { readonly field: string; readonly message: string } {
  return { field: "name", message };
}

function shownFinding({ field, message, hint }: Finding): {
  readonly field?: string;
  readonly message: string;
} {
  return {
    ...(field !== undefined && { field }),
    message: hint === undefined ? message : `${message}: ${hint}`,
  };
}
