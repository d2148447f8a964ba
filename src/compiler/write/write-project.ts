import { randomBytes } from "node:crypto";
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { writeReasons } from "../../base/file-reasons.js";
import { quotePath } from "../../base/text/quote.js";
import { visible } from "../../base/text/visible.js";
import { removeFolder } from "./carry-out.js";
import { commit, recoverJournal, sweep } from "./commit.js";
import { isCertain, isRunning, minutesLeft } from "./holder.js";
import { slots } from "./journal.js";
import { lock, type Reservation } from "./lock.js";
import { makeFolders } from "./make-folders.js";
import { isManifest } from "./manifest-path.js";
import { checkPaths, type Plan, type ProjectFiles, planChange, recordAfter, type Unsafe } from "./plan.js";
import { parseRecord, RECORD_PATH, type RecordStore, readRecord, sha256 } from "./record.js";
import { RECORD_FOLDER } from "./safe-path.js";

const reasons: Readonly<Record<string, string>> = {
  ...writeReasons,
  ENAMETOOLONG: "the name is too long",
  ENOTDIR: "part of the path is not a folder",
  ENOTEMPTY: "another process created it in the meantime",
  EEXIST: "another process created it in the meantime",
  ENOENT: "it is a broken link, or was removed in the meantime",
  ELOOP: "its symbolic links form a circle",
};

/** The result of writing. Unless it is `written`, the target is unchanged. */
export type WriteResult =
  | {
      readonly kind: "written";
      readonly written: readonly string[];
      /** Files that are no longer generated. */
      readonly removed: readonly string[];
      readonly unchanged: readonly string[];
      /** Files that are no longer generated, but stay because the user changed them or force is off. */
      readonly kept: readonly string[];
    }
  /** Some of the files to replace are inputs of the project, which even force does not replace. */
  | { readonly kind: "inputs"; readonly inputs: readonly string[] }
  /** Some existing files differ, and force is off. */
  | { readonly kind: "refused"; readonly conflicts: readonly string[] }
  | Unsafe
  /** The file system refused, or another process owns the lock. */
  | { readonly kind: "failed"; readonly path: string; readonly reason: string };

export interface WriteOptions {
  /** Replaces files that differ, and removes files that are no longer generated. */
  readonly force: boolean;
  /**
   * Files for the user to edit. Written atomically with the others but not recorded as generated, so that no later
   * run removes or replaces them without force. Must not include the project's own files.
   */
  readonly seeds?: ProjectFiles | undefined;
  /**
   * Stores the record of generated files. By default, the record is in `.graphloom` in the target. With a store, the
   * target contains no files of graphloom itself.
   */
  readonly record?: RecordStore | undefined;
  /** Absolute paths of the project's inputs, which are neither replaced nor removed. */
  readonly inputs?: ReadonlySet<string> | undefined;
  /** Aborts the write while nothing has changed yet. */
  readonly signal?: AbortSignal;
}

/** The wanted content of a target. */
interface Content {
  /** The generated files, which go into the record. */
  readonly files: ProjectFiles;
  /** The generated files and the seeds. */
  readonly all: ProjectFiles;
}

/** Writes the files of a project into a folder atomically: all of them or none. */
export async function writeProject(
  target: string,
  files: ProjectFiles,
  options: WriteOptions,
): Promise<WriteResult> {
  const content: Content = { files, all: new Map([...files, ...(options.seeds ?? [])]) };
  const unsafe = checkPaths(content.all);
  if (unsafe) return unsafe;
  const path = resolve(target);
  try {
    removeStaleSiblings(path);
    if (!lstatSync(path, { throwIfNoEntry: false })) return await create(path, content, options);
    if (!statSync(path).isDirectory()) return { kind: "failed", path: target, reason: "it is not a folder" };
    return await update(realpathSync(path), content, options);
  } catch (error) {
    return failure(error, target, options.signal?.aborted === true);
  }
}

/**
 * Builds a new target beside its path and then renames it, so that it appears all at once. Does not use the system's
 * temporary folder, because `rename` is atomic only within a file system.
 */
async function create(target: string, content: Content, options: WriteOptions): Promise<WriteResult> {
  const { files, all } = content;
  const parent = dirname(target);
  const made = makeFolders(parent);
  const draft = `${siblingPrefix(target)}${process.pid}-${randomBytes(4).toString("hex")}`;
  const record = recordAfter(files, [], new Map());
  const own = options.record ? [] : [[RECORD_PATH, record] as const];
  try {
    await writeAll(draft, [...all, ...own], options.signal);
    await options.record?.put(record);
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    for (let folder = parent; made && folder.length >= made.length && removeFolder(folder); )
      folder = dirname(folder);
    throw error;
  }
  return { kind: "written", written: [...all.keys()], removed: [], unchanged: [], kept: [] };
}

async function update(target: string, content: Content, options: WriteOptions): Promise<WriteResult> {
  const folder = join(target, RECORD_FOLDER);
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) {
    return { kind: "unsafe", path: RECORD_FOLDER, reason: "it is a symbolic link" };
  }
  makeFolders(folder);
  const reserved = await lock(folder);
  if (reserved.kind === "taken") return { kind: "failed", path: target, reason: takenBy(reserved) };
  try {
    recoverJournal(target);
    const kept = await options.record?.get();
    const record = kept === undefined ? readRecord(target) : parseRecord(kept);
    const plan = planChange(target, content.all, record, options.inputs);
    if ("kind" in plan) return plan;
    return obstacle(plan, options.force) ?? (await change(target, content, plan, options));
  } finally {
    sweep(folder);
    reserved.release();
    removeFolder(folder);
  }
}

function takenBy({ holder, path }: Extract<Reservation, { kind: "taken" }>): string {
  const process = `process ${holder.pid}${holder.host === undefined ? "" : ` on ${quotePath(visible(holder.host))}`}`;
  const lock = quotePath(visible(path));
  if (isCertain(holder))
    return `${process} is writing to it; if that process no longer exists, remove ${lock}`;
  const minutes = minutesLeft(holder);
  return (
    `${process} has locked it, and graphloom cannot tell from here whether it is still running; ` +
    `if nothing is writing to it, remove ${lock}, or try again in ${minutes} minute${minutes === 1 ? "" : "s"}`
  );
}

function obstacle(plan: Plan, force: boolean): WriteResult | undefined {
  if (plan.inputs.length > 0) return { kind: "inputs", inputs: plan.inputs };
  if (!force) {
    const conflicts = [...plan.different.keys(), ...plan.blocked.keys()].sort();
    return conflicts.length > 0 ? { kind: "refused", conflicts } : undefined;
  }
  for (const [path, by] of plan.blocked) {
    const reason = by === path ? "a folder is in its place" : `"${by}" is not a folder`;
    return { kind: "failed", path, reason };
  }
  return undefined;
}

async function change(
  target: string,
  { files, all }: Content,
  plan: Plan,
  options: WriteOptions,
): Promise<WriteResult> {
  const puts = [...plan.missing, ...plan.different.keys()].sort();
  const removals = options.force ? plan.extra : [];
  const staying = options.force ? [] : plan.extra;
  const record = recordAfter(files, staying, plan.record);
  const result: WriteResult = {
    kind: "written",
    written: puts,
    removed: removals,
    unchanged: plan.unchanged,
    kept: [...plan.changed, ...staying].sort(),
  };
  const { record: store } = options;
  const isSame = puts.length === 0 && removals.length === 0;
  if (isSame && (store ? !existsSync(join(target, RECORD_PATH)) : holdsRecord(target, record))) {
    await store?.put(record);
    return result;
  }
  // If this run dies, files already written or not yet removed must still count as generated.
  await store?.put(recordAfter(files, [...staying, ...removals], plan.record));
  const staging = `staging-${randomBytes(4).toString("hex")}`;
  const staged = puts.map((path, index) => [`new-${index}`, all.get(path) ?? ""] as const);
  const own = store ? [] : [["record", record] as const];
  const folder = join(target, RECORD_FOLDER, staging);
  // Files that the change moves away also go there.
  makeFolders(folder);
  await writeAll(folder, [...staged, ...own], options.signal);
  commit(target, {
    staging,
    folders: plan.folders,
    puts: slots(puts).map((put) => ({
      ...put,
      before: plan.different.get(put.path),
      after: sha256(all.get(put.path) ?? ""),
    })),
    removals: slots(removals),
    standing: slots(plan.unchanged.filter(isManifest)),
  });
  if (store) {
    await store.put(record);
    // Left by an earlier version of graphloom.
    rmSync(join(target, RECORD_PATH), { force: true });
  }
  return result;
}

function holdsRecord(target: string, text: string): boolean {
  const path = join(target, RECORD_PATH);
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true && readFileSync(path, "utf8") === text;
}

/**
 * Writes files into a new folder with limited concurrency. One by one would be slow; all at once would run out of
 * file handles.
 */
async function writeAll(
  folder: string,
  files: readonly (readonly [string, string | Uint8Array])[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const folders = new Set(files.map(([path]) => dirname(join(folder, path))));
  for (const path of folders) makeFolders(path);
  for (let start = 0; start < files.length; start += 64) {
    // Synchronous writes are faster; yield in between to let interrupts through.
    await setImmediate();
    signal?.throwIfAborted();
    for (const [path, content] of files.slice(start, start + 64)) writeFileSync(join(folder, path), content);
  }
  signal?.throwIfAborted();
}

function siblingPrefix(target: string): string {
  return join(dirname(target), `.${basename(target)}.graphloom-`);
}

/** Removes the temporary folders of dead runs that were creating this target. */
function removeStaleSiblings(target: string): void {
  const prefix = basename(siblingPrefix(target));
  const parent = dirname(target);
  for (const name of namesIn(parent)) {
    const pid = name.startsWith(prefix) && /^(\d+)-[0-9a-f]{8}$/.exec(name.slice(prefix.length))?.[1];
    if (pid && !isRunning(Number(pid))) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

/** The names in a folder; empty if it is missing or unreadable. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function failure(error: unknown, target: string, aborted: boolean): WriteResult {
  if (aborted) return { kind: "failed", path: target, reason: "interrupted" };
  return { kind: "failed", path: (error as NodeJS.ErrnoException).path ?? target, reason: refusalIn(error) };
}

/**
 * The reason for a file system error, worded to follow a path and a colon.
 * @throws any other error, which is a bug
 */
function refusalIn(error: unknown): string {
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  if (syscall === "mkdir" && code === "ENOENT") return "no folder can be created there";
  return reasons[code] ?? message;
}
