import type { Proofs } from "../extract/proofs.js";
import { type Marker, writeMarker } from "./marker.js";
import type { OpenedFolder } from "./open-folder.js";
import { proofsOfFiles, withProofs } from "./range-proofs.js";
import type { TableFiles } from "./table-files.js";
import type { Window, WindowPlan } from "./windows.js";

/** Records in the marker of a folder the proofs of its files. A file may have no record. */
export class ProofRecord {
  readonly #files: TableFiles;
  #marker: Marker;

  private constructor(files: TableFiles, marker: Marker) {
    this.#files = files;
    this.#marker = marker;
  }

  /** Deletes the records of files about to be rewritten, so that a crash never leaves an outdated record. */
  static async begin(
    files: TableFiles,
    { marker, files: present }: OpenedFolder,
    { missing, covered }: Pick<WindowPlan, "missing" | "covered">,
  ): Promise<ProofRecord> {
    const record = new ProofRecord(files, marker);
    const { proofs } = marker;
    if (!proofs) return record;
    const gone = new Set([...covered, ...missing.flatMap(({ replaces }) => replaces)]);
    const left = proofsOfFiles(
      proofs,
      present.filter(({ path }) => !gone.has(path)),
    );
    if (JSON.stringify(left) !== JSON.stringify(proofs)) await record.#write({ ...marker, proofs: left });
    return record;
  }

  /** Records the proofs of a written file. */
  async add(window: Window, proofs: Proofs): Promise<void> {
    await this.#write({
      ...this.#marker,
      proofs: withProofs(this.#marker.proofs ?? [], { from: window.from, to: window.to }, proofs),
    });
  }

  async #write(marker: Marker): Promise<void> {
    await writeMarker(this.#files, marker);
    this.#marker = marker;
  }
}
