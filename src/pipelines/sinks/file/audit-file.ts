import type { LedgerEntry } from "../../changes/ledger.js";
import { placesOf } from "../../changes/source-parts.js";
import type { KeptLineage } from "../../state/lineage-guard.js";
import type { AuditOptions, AuditSink, BlockRange, SinkAudit, SourceStates } from "../audit.js";
import { lineageIn, readMarker, readOwnMarker, visiblePaths } from "./file-folder.js";
import { lockFolder } from "./file-sink.js";
import { standingWindows } from "./given-up.js";
import { folderOptions } from "./open-file.js";
import { windowLayout } from "./open-layout.js";
import type { FileShape } from "./shape.js";
import { type AuditedFolder, StoredFiles } from "./stored-files.js";
import type { WindowLayout } from "./window-layout.js";
import { type NamedWindow, overlapped, type WindowFile } from "./window-names.js";

/** Opens a folder for an audit. One that mends keeps others from writing it. @throws SinkError */
export const auditFile: AuditSink<FileShape> = async (planned, owner, world, options, work) => {
  const files = world.openFiles(planned.definition.settings.path?.value ?? "");
  const folder = { ...folderOptions(planned, owner, world), files, key: planned.schema.key };
  return auditFolder(folder, options, work);
};

/** The same for files that are open. */
export async function auditFolder<Result>(
  folder: AuditedFolder,
  options: AuditOptions,
  work: (audit: SinkAudit) => Promise<Result>,
): Promise<Result> {
  const release = options.mends ? await lockFolder(folder) : undefined;
  try {
    return await work(new FolderAudit(folder, options));
  } finally {
    release?.();
  }
}

/** A folder whose files may be missing, damaged or too many. */
class FolderAudit implements SinkAudit {
  readonly #folder: AuditedFolder;
  readonly #options: AuditOptions;
  readonly #layout: WindowLayout;
  /** The ledger entries of files, which never change once they are there. */
  readonly #entries = new Map<string, LedgerEntry | undefined>();

  constructor(folder: AuditedFolder, options: AuditOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#layout = windowLayout(folder);
  }

  async states(): Promise<SourceStates> {
    const { files, sources } = this.#folder;
    const paths = await visiblePaths(files);
    const { begins, ends } = await readMarker(this.#folder, paths);
    const states = [];
    for (const source of sources.flatMap((name) => placesOf(name, Object.keys(begins)))) {
      const begin = begins[source];
      if (begin === undefined) continue;
      const windows = chained(begin, await this.#standing(source, paths));
      const next = Math.max(ends[source] ?? begin, (windows.at(-1)?.to ?? begin - 1) + 1);
      const ledger = [];
      for (const window of this.#filled(windows, begin, next))
        ledger.push((await this.#entry(source, window)) ?? window);
      states.push([source, { position: { next, open: [] }, ledger }] as const);
    }
    return new Map(states);
  }

  async lineage(): Promise<KeptLineage> {
    return lineageIn(await readOwnMarker(this.#folder, await visiblePaths(this.#folder.files)));
  }

  async rows(): Promise<StoredFiles> {
    const paths = await visiblePaths(this.#folder.files);
    const { begins } = await readMarker(this.#folder, paths);
    const windows = new Map<string, readonly BlockRange[]>();
    const strays = new Set(paths.filter((path) => path.includes("/") && !path.endsWith(".tmp")));
    const notes: string[] = [];
    for (const source of this.#folder.sources.flatMap((name) => placesOf(name, Object.keys(begins)))) {
      const named = await this.#standing(source, paths);
      const standing = new Set(named.map(({ path }) => path));
      for (const { path } of this.#layout.windowsOf(source, paths))
        if (!standing.has(path)) strays.delete(path);
      const chain = chained(begins[source] ?? 0, named);
      windows.set(source, chain);
      for (const [window, other] of overlapsIn(named, chain)) {
        // What is mended is written again; such a file has to be removed, like any other that does not belong there.
        if (this.#options.mends) continue;
        notes.push(overlapNote(window, other));
        for (const path of await this.#layout.pathsOf(source, window, paths)) strays.delete(path);
      }
      for (const window of chain) {
        if (this.#options.mends) await this.#layout.complete(source, window);
        for (const path of await this.#layout.pathsOf(source, window, paths)) strays.delete(path);
      }
    }
    return new StoredFiles(
      this.#folder,
      this.#layout,
      { windows, strays: [...strays], notes },
      this.#options,
    );
  }

  #standing(source: string, paths: readonly string[]): Promise<readonly WindowFile[]> {
    return standingWindows(this.#folder.files, this.#layout, source, paths);
  }

  /** Files appear whole and never change, and one that mends has the lock. */
  async hold(): Promise<void> {}

  /** A file that is written again has its entry. */
  async correct(): Promise<void> {}

  /** Windows without gaps: what is missing is to be written in files of the usual size. */
  #filled(windows: readonly BlockRange[], begin: number, next: number): readonly BlockRange[] {
    const { blocksPerFile } = this.#folder;
    const filled: BlockRange[] = [];
    const fill = (from: number, end: number): void => {
      for (let first = from; first < end; first += blocksPerFile)
        filled.push({ from: first, to: Math.min(end, first + blocksPerFile) - 1 });
    };
    let reached = begin;
    for (const window of windows) {
      fill(reached, window.from);
      filled.push(window);
      reached = window.to + 1;
    }
    fill(reached, next);
    return filled;
  }

  async #entry(source: string, window: BlockRange): Promise<LedgerEntry | undefined> {
    const name = JSON.stringify([source, window.from, window.to]);
    if (!this.#entries.has(name)) this.#entries.set(name, await this.#layout.entryOf(source, window));
    return this.#entries.get(name);
  }
}

/** Windows that have blocks of another window, too, each with that one. @param chain the windows that follow each other */
function overlapsIn(
  named: readonly WindowFile[],
  chain: readonly BlockRange[],
): readonly (readonly [NamedWindow, NamedWindow])[] {
  return named.flatMap((window) => {
    if (window.from === undefined) return [];
    const { from, to } = window;
    if (chain.some((other) => other.from === from && other.to === to)) return [];
    const other = overlapped(named, window);
    return other ? [[window, other] as const] : [];
  });
}

function overlapNote(window: NamedWindow, other: NamedWindow): string {
  const blocks = `${Math.max(window.from, other.from)}-${Math.min(window.to, other.to)}`;
  return `${window.path} and ${other.path} both have the rows of blocks ${blocks}, so readers get them twice. Delete the first one.`;
}

/**
 * The windows that follow each other from a block on, maybe with gaps. Leaves out windows that overlap
 * others.
 */
function chained(begin: number, files: readonly WindowFile[]): readonly BlockRange[] {
  const windows: BlockRange[] = [];
  for (const file of files) {
    const next = (windows.at(-1)?.to ?? begin - 1) + 1;
    if (file.from !== undefined && file.from >= next && file.to >= file.from)
      windows.push({ from: file.from, to: file.to });
  }
  return windows;
}
