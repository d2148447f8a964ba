import { writeReasons } from "../../base/file-reasons.js";

const reasons: Readonly<Record<string, string>> = {
  ...writeReasons,
  ENAMETOOLONG: "the name is too long",
  ENOTDIR: "part of the path is not a folder",
  ENOTEMPTY: "another process created it in the meantime",
  EEXIST: "another process created it in the meantime",
  ENOENT: "it is a broken link, or was removed in the meantime",
  ELOOP: "its symbolic links form a circle",
};

/**
 * The reason for a file system error, worded to follow a path and a colon.
 * @throws any other error, which is a bug
 */
export function refusalIn(error: unknown): string {
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  if (syscall === "mkdir" && code === "ENOENT") return "no folder can be created there";
  return reasons[code] ?? message;
}
