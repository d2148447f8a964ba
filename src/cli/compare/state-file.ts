import { resolve } from "node:path";
import { isRecord, parseJson } from "../../base/json-value.js";
import { type ComparisonState, readState, StateError } from "../../compare/comparison-state.js";
import { createNodeHost } from "../../machine/host.js";
import { writeOwnFile } from "../../machine/write-own-file.js";

/** A file that stores the progress of a comparison. */
export interface StateFile {
  /**
   * The stored state; `undefined` when there is no file, or when the comparison is complete.
   * @throws StateError when graphloom did not write the file
   */
  read(): Promise<ComparisonState | undefined>;
  /** Remembers a state, and writes it from time to time. @throws StateError when it cannot be written */
  note(state: ComparisonState): Promise<void>;
  /** Writes the last remembered state. @throws StateError when it cannot be written */
  flush(): Promise<void>;
}

/** The first characters of every state file. */
const beginning = '{"graphloom":"compare"';
/** Milliseconds between two writes. */
const interval = 2_000;
/** The largest state file, in bytes. */
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
