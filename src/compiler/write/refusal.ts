import { fileReasons } from "../../base/file-reasons.js";

const reasons: Readonly<Record<string, string>> = {
  ...fileReasons,
  ENAMETOOLONG: "the name is too long",
  ENOTDIR: "part of the path is not a folder",
  ENOTEMPTY: "another process has created it meanwhile",
  EEXIST: "another process has created it meanwhile",
  ENOENT: "it is a link to nothing, or was removed meanwhile",
  ELOOP: "its links go round in circles",
};

/**
 * The reason of a file system error, in words that follow a path and a colon.
 * @throws any other error, which is a bug
 */
export function refusalIn(error: unknown): string {
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  if (syscall === "mkdir" && code === "ENOENT") return "no folder can be made there";
  return reasons[code] ?? message;
}
