import { quotePath } from "../../base/text/quote.js";
import { Report } from "../diagnostics/report.js";
import { parseJsonSource } from "../parse/parse-json-source.js";
import type { Location, Source } from "../source/source.js";
import { nodeAt, type TreeNode, type TreePath } from "../source/tree.js";
import { type RawAbi, readEntries } from "./abi-entries.js";
import { faultsOf } from "./bind-raw-abi.js";
import type { ProjectAbi, ProjectManifest } from "./manifest/project-manifest.js";
import type { ProjectFiles } from "./project-files.js";

/** An ABI file that was read. */
export interface ReadAbi extends RawAbi {
  /** Whether graph-cli generates code for it. */
  readonly sound: boolean;
  /**
   * Locates a value in the file.
   * @param path starts at the list of entries
   */
  locate(path: TreePath): Location;
}

/** The ABI files of a project. Each is read once, and its faults are reported once. */
export class ProjectAbis {
  readonly #files: ProjectFiles;
  readonly #manifest: ProjectManifest;
  readonly #report: Report;
  readonly #known = new Map<string, Promise<ReadAbi | undefined>>();

  constructor(files: ProjectFiles, manifest: ProjectManifest, report: Report) {
    this.#files = files;
    this.#manifest = manifest;
    this.#report = report;
  }

  /** @returns `undefined` after a reported error */
  read(abi: ProjectAbi): Promise<ReadAbi | undefined> {
    const path = this.#files.hostPath(abi.file);
    const known = this.#known.get(path) ?? this.#read(abi, path);
    this.#known.set(path, known);
    return known;
  }

  async #read({ file, path }: ProjectAbi, hostPath: string): Promise<ReadAbi | undefined> {
    const at = this.#manifest.locate([...path, "file"]);
    const read = await this.#files.read(file);
    if (read.kind !== "text") {
      const hint = read.kind === "missing" ? originHint(file) : undefined;
      this.#report.error("manifest-file", at, `the ABI ${quotePath(file)} ${read.reason}`, {
        ...(hint !== undefined && { hint }),
      });
      return undefined;
    }
    const source: Source = { path: hostPath, text: read.text };
    const json = parseJson(source, this.#report);
    if (json === undefined) return undefined;
    const abi = readEntries(json);
    if (!abi) {
      this.#report.error("project-abi", at, `${quotePath(file)} is not an ABI: it has no list of entries`, {
        hint: "name a file with a list, or with one under the key abi",
      });
      return undefined;
    }
    let tree: TreeNode | undefined;
    const locate = (within: TreePath): Location => {
      tree ??= parseJsonSource(source, "json", new Report());
      const start = { source, pointer: "", start: 0, end: 0 };
      return tree ? nodeAt(tree, [...abi.path, ...within]).at : start;
    };
    const faults = faultsOf(abi.entries);
    for (const { entry, path: within, reason } of faults) {
      this.#report.error(
        "project-abi",
        locate([entry.index, ...within]),
        `graph-cli generates no code for this ABI: ${reason}`,
        { hint: `remove the ${entry.type ?? "function"} from the file, if nothing needs it` },
      );
    }
    return { ...abi, sound: faults.length === 0, locate };
  }
}

/** How to get a missing ABI file, according to its path. */
function originHint(file: string): string {
  if (/(?:^|\/)node_modules\//.test(file)) return "install the packages of the project";
  if (/(?:^|\/)out\/[^/]+\.sol\//.test(file)) return "build the contracts: forge build";
  if (/\.sol\/[^/]+$/.test(file)) return "build the contracts, for instance with npx hardhat compile";
  return "correct the path, or run the script of the project that makes the file";
}

/** Parses JSON strictly, as graph-cli does; our own parser locates the fault. */
function parseJson(source: Source, report: Report): unknown {
  try {
    return JSON.parse(source.text);
  } catch (error) {
    const before = report.errorCount;
    parseJsonSource(source, "json", report);
    if (report.errorCount > before) return undefined;
    const message = error instanceof Error ? error.message : String(error);
    report.error("project-abi", { source, pointer: "", start: 0, end: 1 }, "the ABI is not strict JSON", {
      notes: [message],
      hint: "remove comments and trailing commas",
    });
    return undefined;
  }
}
