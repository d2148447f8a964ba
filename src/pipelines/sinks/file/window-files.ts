import type { TableFiles } from "../../../datasets/sync/table-files.js";

/** Where files of windows are kept: a folder, or objects of a bucket. Files appear whole. */
export type WindowFiles = Pick<TableFiles, "list" | "read" | "write" | "lock" | "writeWith"> & {
  /** Left out where other writers are found only by conditions of writes. */
  remove?(path: string): Promise<void>;
  /** Whether the lock keeps no other writer out, so that only a condition of each write finds another writer. */
  readonly isShared?: boolean;
};

/** The same for an audit, which reads the files again. */
export type AuditedFiles = WindowFiles & Pick<TableFiles, "bytes">;
