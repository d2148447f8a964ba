import { messageOf } from "../../base/text/message-of.js";
import type {
  CheckedDefinition,
  DefinitionText,
  Finding,
  PipelineToCome,
} from "../../pipelines/host/pipeline-engine.js";
import { isResourceSize, type ResourceSize, resourceSizes } from "../../pipelines/host/resource-sizes.js";
import { DatabaseError, type Sql } from "../../store/database/database.js";
import { type Doer, noteDeed } from "../people/doer.js";
import { Problem } from "../problem.js";
import { requireRoom } from "../quotas/quotas.js";
import { setSecretUses } from "../secrets/secrets.js";
import { checkOnEngine } from "./check-on-engine.js";
import { type AskedEngine, chosenEngine } from "./chosen-engine.js";
import { invalid } from "./definition-problem.js";
import { keepRead } from "./keep-read.js";
import {
  addPipeline,
  addPipelineVersion,
  changePipeline,
  deletePipelineRow,
  findPipeline,
  findPipelineVersion,
  isGone,
  isOver,
  type NewPipelineVersion,
  type PipelineName,
  type PipelineRow,
  type PipelineVersion,
  type RequestKind,
  setPipelineSubgraphs,
  tellOfPipelines,
  type WantedStatus,
} from "./pipeline-rows.js";
import type { Pipelines } from "./pipelines.js";
import { hostOf, pipelineIdOf } from "./project-host.js";
import { requireIdle, requirePipeline, requireUnwritten } from "./require-pipeline.js";
import { isSnapshotId } from "./snapshot-rows.js";
import { requireSnapshot } from "./snapshots.js";

/** The default resource size of a pipeline. */
const usualSize: string = "s";

/** A definition for a new pipeline, or for its next version. */
export interface AskedPipeline {
  /** The name in the request's path, which the definition may then leave out. */
  readonly name?: string | undefined;
  readonly definition: DefinitionText;
  readonly size?: string | undefined;
  readonly description?: string | undefined;
  readonly status?: WantedStatus | undefined;
  /** Where it continues. */
  readonly begins?: string | undefined;
  /** Whether the pipeline must not exist yet. */
  readonly isNew?: boolean;
  /** The engine that runs its queries; unchanged by default. */
  readonly engine?: AskedEngine;
  /** Ends the check. After it, the definition is applied whole. */
  readonly signal: AbortSignal;
}

/** The outcome of applying a definition. */
export interface AppliedPipeline {
  readonly change: "created" | "updated" | "unchanged";
  readonly pipeline: PipelineRow;
  /** Warnings and notes about the definition. */
  readonly findings: readonly Finding[];
}

/**
 * Creates a pipeline, or gives it another version if the definition differs from the current one.
 * @throws Problem `bad-request` with all mistakes, `conflict` if a change is under way, `unprocessable`;
 * DatabaseError
 */
export async function applyPipeline(
  pipelines: Pipelines,
  doer: Doer,
  asked: AskedPipeline,
): Promise<AppliedPipeline> {
  const { platform, engine } = pipelines;
  const { project } = doer.caller;
  if (asked.size !== undefined && !isResourceSize(asked.size)) throw wrongSize("resource_size");
  const before = await versionBefore(pipelines, asked, project);
  const chosen = chosenEngine(asked.engine ?? {}, before?.engine, project, engine.flink);
  const definition = { ...asked.definition, engine: chosen };
  const host = hostOf(platform, project);
  const toCome = chosen ? undefined : pipelineToCome(project, asked, before?.size);
  const { findings, meaning } = await checkOnEngine(engine, definition, host, asked.signal, toCome);
  if (!meaning) throw invalid(findings);
  if (asked.name !== undefined && asked.name !== meaning.name) {
    const message = `must be ${asked.name}, as in the request, not ${meaning.name}`;
    throw new Problem("bad-request", "The definition has another name.", {
      errors: [{ field: "name", message }],
    });
  }
  const named = { project, name: meaning.name };
  // A deletion of a pipeline with this name may have been interrupted.
  if (!before) await forget(pipelines, named);
  const applied = await platform.database.transaction(async (sql): Promise<AppliedPipeline> => {
    const before = await findPipeline(sql, named, { isLocked: true });
    const change = before
      ? await update(sql, before, { ...asked, definition }, meaning)
      : await create(pipelines, sql, named, { ...asked, definition }, meaning);
    if (change !== "unchanged") {
      await setSecretUses(sql, project, usedBy(named), meaning.secrets);
      await setPipelineSubgraphs(sql, named, meaning.subgraphs);
      await keepRead(sql, named, meaning.subgraphs);
      await noteDeed(sql, doer, `pipeline.${change === "created" ? "create" : "update"}`, named.name);
      await tellOfPipelines(sql);
    }
    return { change, pipeline: await requirePipeline(sql, named), findings };
  });
  if (applied.change !== "unchanged") await pipelines.keeper.reconcile();
  return { ...applied, pipeline: await requirePipeline(platform.database, named) };
}

/** The current version of a pipeline that is about to be changed. */
async function versionBefore(
  { platform: { database } }: Pipelines,
  { name }: AskedPipeline,
  project: string,
): Promise<PipelineVersion | undefined> {
  const row = name === undefined ? undefined : await findPipeline(database, { project, name });
  return row && findPipelineVersion(database, row, row.version);
}

/** The pipeline that will run a definition if it is valid. The size in the definition is known only then. */
function pipelineToCome(
  project: string,
  { name, size, status = "ACTIVE" }: AskedPipeline,
  current = usualSize,
): PipelineToCome | undefined {
  if (name === undefined || status !== "ACTIVE") return undefined;
  const expected = size ?? current;
  return isResourceSize(expected) ? { flow: pipelineIdOf({ project, name }), size: expected } : undefined;
}

type Meaning = NonNullable<CheckedDefinition["meaning"]>;

async function create(
  { platform: { settings } }: Pipelines,
  sql: Sql,
  named: PipelineName,
  asked: AskedPipeline,
  meaning: Meaning,
): Promise<"created"> {
  await requireRoom(sql, settings, "pipelines", named.project);
  const { form, job: isJob } = meaning;
  const status = asked.status ?? "ACTIVE";
  const isAdded = await addPipeline(sql, { ...named, form, isJob, status });
  if (!isAdded)
    throw new Problem("conflict", `The pipeline "${named.name}" was just created by someone else.`);
  await addPipelineVersion(sql, named, versionOf(asked, meaning, usualSize));
  await changePipeline(sql, named, { status, request: status === "ACTIVE" ? "create" : null });
  return "created";
}

async function update(
  sql: Sql,
  before: PipelineRow,
  asked: AskedPipeline,
  meaning: Meaning,
): Promise<"updated" | "unchanged"> {
  const { name } = before;
  if (asked.isNew)
    throw new Problem(
      "conflict",
      `The pipeline "${name}" already exists. Apply the definition to change it.`,
    );
  const current = await findPipelineVersion(sql, before, before.version);
  const added = versionOf(asked, meaning, current?.size ?? usualSize);
  const status = asked.status ?? before.status;
  const isSame = current !== undefined && comparableText(current) === comparableText(added);
  const resets = asked.begins !== undefined && resetting.has(asked.begins);
  if (isSame && status === before.status && !resets) return "unchanged";
  if (before.isJob)
    throw new Problem(
      "conflict",
      `"${name}" is a job, which runs once. Delete it first, then apply the definition again.`,
    );
  requireIdle(before);
  await requireBeginning(sql, before, asked.begins);
  if (!isSame) await addPipelineVersion(sql, before, added);
  const { form, job: isJob } = meaning;
  await changePipeline(sql, before, {
    status,
    form,
    isJob,
    ...(asked.begins !== undefined && { begins: asked.begins }),
    ...(!isSame && { replacedVersion: before.version }),
    request: status === "ACTIVE" ? (isSame ? (resets ? "restart" : "start") : "update") : null,
  });
  return "updated";
}

/** @throws Problem `bad-request` for a snapshot that was dropped since it was chosen */
async function requireBeginning(sql: Sql, named: PipelineName, begins: string | undefined): Promise<void> {
  if (begins !== undefined && isSnapshotId(begins)) await requireSnapshot(sql, named, begins);
}

/** Starting points that restart a pipeline even with the same definition, which may have failed without them. */
const resetting: ReadonlySet<string> = new Set(["reset", "recreate", "settle"]);

function versionOf(
  { definition: { text, variables, engine }, size, description }: AskedPipeline,
  { document, abis, nodes, size: own }: Meaning,
  usual: string,
): NewPipelineVersion {
  const plain = document as NewPipelineVersion["document"];
  const told = typeof plain.description === "string" ? plain.description : null;
  return {
    definition: text,
    variables,
    abis,
    document: plain,
    topology: nodes,
    size: size ?? own ?? usual,
    ...(engine && { engine }),
    description: description ?? told,
  };
}

/** Fields that are compared separately, and fields that an export has only for people. */
const besides: ReadonlySet<string> = new Set(["description", "resource_size", "status", "version"]);

/** Equal for versions with the same meaning, however they are written. */
function comparableText({
  document,
  variables,
  abis,
  size,
  engine,
  description,
}: NewPipelineVersion): string {
  const own = Object.fromEntries(Object.entries(document).filter(([field]) => !besides.has(field)));
  return JSON.stringify([
    sorted(own),
    sorted(variables),
    sorted(abis),
    size,
    sorted(engine ?? null),
    description,
  ]);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}

/** A change of the requested state of a pipeline. */
export interface StatusChange {
  readonly status: WantedStatus;
  /** Where it continues. */
  readonly begins?: string | undefined;
  readonly request: RequestKind | null;
}

/**
 * Starts, pauses or stops a pipeline, and waits until this server has applied the change.
 * @throws Problem `pipeline-not-found`, `conflict` if a change is under way, `unprocessable` for a job;
 * DatabaseError
 */
export async function setPipelineStatus(
  pipelines: Pipelines,
  doer: Doer,
  name: string,
  { status, begins, request }: StatusChange,
): Promise<PipelineRow> {
  const verb =
    request === "restart" ? "restart" : { ACTIVE: "start", PAUSED: "pause", INACTIVE: "stop" }[status];
  return change(pipelines, doer, name, `pipeline.${verb}`, async (sql, before) => {
    if (before.isJob && status !== "INACTIVE")
      throw new Problem(
        "unprocessable",
        `"${name}" is a job, which runs once: it cannot be paused or started again.`,
      );
    if (before.status === status && request !== "restart" && !isOver(before) && !before.pauses) return false;
    requireIdle(before);
    await requireBeginning(sql, before, begins);
    await changePipeline(sql, before, { status, request, ...(begins !== undefined && { begins }) });
    return true;
  });
}

/** Changes the resource size of a pipeline, which makes a new version. @throws as `setPipelineStatus` does */
export async function resizePipeline(
  pipelines: Pipelines,
  doer: Doer,
  name: string,
  size: string,
): Promise<PipelineRow> {
  if (!isResourceSize(size)) throw wrongSize("resource_size");
  return change(pipelines, doer, name, "pipeline.resize", async (sql, before) => {
    const current = await findPipelineVersion(sql, before, before.version);
    if (!current || current.size === size) return false;
    requireIdle(before);
    await addPipelineVersion(sql, before, { ...current, size });
    const request = before.status === "ACTIVE" ? "resize" : null;
    await changePipeline(sql, before, { request, replacedVersion: before.version });
    return true;
  });
}

/**
 * Cancels the change under way. A change that has replaced a version restores it.
 * @throws Problem `pipeline-not-found`, `unprocessable` if nothing is under way; DatabaseError
 */
export async function cancelPipelineChange(
  pipelines: Pipelines,
  doer: Doer,
  name: string,
): Promise<PipelineRow> {
  return change(pipelines, doer, name, "pipeline.cancel-update", async (sql, before) => {
    const { request, replacedVersion } = before;
    if (request === undefined) throw new Problem("unprocessable", `Nothing is under way for "${name}".`);
    const status = request === "create" || request === "start" ? ("INACTIVE" as const) : before.status;
    await changePipeline(sql, before, {
      status,
      request: null,
      begins: "continue",
      ...(replacedVersion !== undefined && { version: replacedVersion }),
    });
    return true;
  });
}

/**
 * Deletes a pipeline with its whole state on the server, and its job and topics if Flink runs it. The rows in its
 * sinks stay. It also deletes leftovers of an earlier attempt.
 * @throws Problem `pipeline-not-found`; `conflict` while a task writes its sinks; `unprocessable` if a part could not
 * be deleted; DatabaseError
 */
export async function removePipeline(pipelines: Pipelines, doer: Doer, name: string): Promise<void> {
  const { platform, keeper } = pipelines;
  const named = { project: doer.caller.project, name };
  const wasThere = await platform.database.transaction(async (sql) => {
    const found = await findPipeline(sql, named, { isLocked: true });
    if (!found) return false;
    requireUnwritten(found);
    await setSecretUses(sql, named.project, usedBy(named), []);
    await deletePipelineRow(sql, named);
    await noteDeed(sql, doer, "pipeline.delete", name);
    await tellOfPipelines(sql);
    return true;
  });
  await keeper.reconcile();
  const wasKept = await forget(pipelines, named);
  // If nothing was deleted, the pipeline never existed, or was created again in the meantime.
  if (!wasThere && !wasKept) await requirePipeline(platform.database, named);
}

/**
 * Drops the state of a deleted pipeline, so that a new pipeline of the same name starts from the beginning.
 * @returns whether there was any state @throws Problem `unprocessable` if its job or topics could not be deleted;
 * DatabaseError
 */
async function forget({ engine }: Pipelines, named: PipelineName): Promise<boolean> {
  try {
    return await engine.forget(pipelineIdOf(named), (sql) => isGone(sql, named));
  } catch (error) {
    if (error instanceof DatabaseError) throw error;
    const why = messageOf(error);
    throw new Problem(
      "unprocessable",
      `"${named.name}" is deleted, but its job or its topics could not be: ${why} Cancel jobs whose names begin with "graphloom ${pipelineIdOf(named)}", and delete topics that begin with "${named.project}.${named.name}.".`,
      { cause: error },
    );
  }
}

async function change(
  { platform: { database }, keeper }: Pipelines,
  doer: Doer,
  name: string,
  deed: string,
  work: (sql: Sql, before: PipelineRow) => Promise<boolean>,
): Promise<PipelineRow> {
  const named = { project: doer.caller.project, name };
  const isChanged = await database.transaction(async (sql) => {
    const before = await requirePipeline(sql, named, { isLocked: true });
    if (!(await work(sql, before))) return false;
    await noteDeed(sql, doer, deed, name);
    await tellOfPipelines(sql);
    return true;
  });
  if (isChanged) await keeper.reconcile();
  return requirePipeline(database, named);
}

function wrongSize(field: string): Problem {
  const message = `must be one of ${(Object.keys(resourceSizes) as ResourceSize[]).join(", ")}`;
  return new Problem("bad-request", "There is no such resource size.", { errors: [{ field, message }] });
}

/** The name of a pipeline in the list of uses of a secret. */
function usedBy({ name }: PipelineName): string {
  return `the pipeline "${name}"`;
}
