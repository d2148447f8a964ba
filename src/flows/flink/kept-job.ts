import { isRecord } from "../../base/json-value.js";

/** What is kept of a flow's job, to go on with it. */
export interface KeptJob {
  /** What the job computes and writes, in short. With another one, a savepoint does not fit. */
  readonly digest: string;
  /** The places that the flow has written, such as tables: only these may hold rows when it begins. */
  readonly targets: readonly string[];
  /** Where the last savepoint is; `undefined` before the first one. */
  readonly savepoint: string | undefined;
}

/** A job as it was kept, from JSON; `undefined` for what is none. */
export function readKeptJob(found: unknown): KeptJob | undefined {
  const { digest, targets, savepoint } = isRecord(found) ? found : {};
  const isText = (value: unknown): value is string => typeof value === "string";
  return isText(digest) &&
    Array.isArray(targets) &&
    targets.every(isText) &&
    (savepoint === undefined || isText(savepoint))
    ? { digest, targets, savepoint }
    : undefined;
}

/** Keeps a job durably. One process at a time has it open. */
export interface KeptJobStore {
  readonly kept: KeptJob | undefined;
  keep(job: KeptJob): Promise<void>;
  close(): void;
}
