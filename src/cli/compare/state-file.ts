import { resolve } from "node:path";
import { isRecord, parseJson } from "../../base/json-value.js";
import { type ComparisonState, readState, StateError } from "../../compare/comparison-state.js";
import { createNodeHost } from "../../node/host.js";
import { writeOwnFile } from "../../node/write-own-file.js";

/** How far a comparison has come, in a file. */
export interface StateFile {
  /**
   * What it holds; `undefined` when there is none, or a comparison that has ended.
   * @throws StateError when the file is another one
   */
  read(): Promise<ComparisonState | undefined>;
  /** Notes a state, and writes it now and then. @throws StateError when it cannot be written */
  note(state: ComparisonState): Promise<void>;
  /** Writes what was noted last. @throws StateError when it cannot be written */
  flush(): Promise<void>;
}

/** What our files begin with. */
const beginning = '{"graphloom":"compare"';
/** Milliseconds between two times of writing. */
const interval = 2_000;
/** Bytes. */
const largestFile = 256 * 1_048_576;

/** @param now the time in milliseconds */
export function createStateFile(path: string, cwd: string, now: () => number): StateFile {
  let noted: ComparisonState | undefined;
  let written = Number.NEGATIVE_INFINITY;
  const flush = async (): Promise<void> => {
    if (!noted) return;
    const text = `${JSON.stringify({ graphloom: "compare", ...noted })}\n`;
    noted = undefined;
    written = now();
    const failure = await writeOwnFile(resolve(cwd, path), text, beginning);
    if (failure !== undefined) throw new StateError(`it cannot be written: ${failure}`);
  };
  return {
    flush,
    async read() {
      const file = await createNodeHost({ cwd }).readFile(resolve(cwd, path), largestFile);
      if (file.kind === "missing") return undefined;
      if (file.kind !== "bytes") throw new StateError(`it cannot be read: ${file.kind}`);
      const value = parseJson(new TextDecoder().decode(file.bytes));
      if (!isRecord(value) || value.graphloom !== "compare")
        throw new StateError("graphloom did not write it");
      const state = readState(value);
      return state.isDone ? undefined : state;
    },
    async note(state) {
      noted = state;
      if (now() - written >= interval || state.isDone) await flush();
    },
  };
}
