import type { FileRead } from "../host.js";

/**
 * Why the text of a file is missing, in words that follow its name.
 * @param limit size limit in bytes
 */
export function whyUnread({ kind }: Exclude<FileRead, { kind: "bytes" }>, limit: number): string {
  switch (kind) {
    case "missing":
      return "does not exist";
    case "directory":
      return "is a folder";
    case "device":
      return "is a device or a pipe";
    case "endless-link":
      return "is a circular symbolic link";
    case "unreadable":
      return "cannot be read";
    case "outside":
      return "is outside the folder of this command";
    case "too-large":
      return `is larger than the limit of ${limit / (1024 * 1024)} MB`;
  }
}
