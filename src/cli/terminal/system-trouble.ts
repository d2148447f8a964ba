import { diskTrouble } from "../../base/disk-trouble.js";
import { visible } from "../../base/text/visible.js";

/** The system's error codes for too many open files: in the process, and on the whole machine. */
const codes: readonly unknown[] = ["EMFILE", "ENFILE"];

/**
 * The message for a failure that the system causes: too many open files, or a file that cannot be used.
 * @returns `undefined` for other failures
 */
export function systemTrouble(error: unknown): string | undefined {
  return tooManyFiles(error) ?? unusable(error);
}

function unusable(error: unknown): string | undefined {
  const trouble = diskTrouble(error);
  if (!trouble) return undefined;
  const { reason, path, mayPass, remedy } = trouble;
  const what = path === undefined ? "A file" : visible(path);
  return `${what} cannot be used: ${reason}. ${remedy}${mayPass ? ", then run the same command again" : ""}.\n`;
}

function tooManyFiles(error: unknown): string | undefined {
  // Causes may form a circle.
  let left = 10;
  for (let cause = error; cause instanceof Error && left > 0; cause = cause.cause, left--) {
    const { code } = cause as NodeJS.ErrnoException;
    if (!codes.includes(code)) continue;
    const whose = code === "EMFILE" ? "this process" : "this machine";
    return (
      `The system does not let ${whose} open more files (${code}). Raise the limit and start again: ulimit -n 4096 in the ` +
      "shell, LimitNOFILE= in a systemd unit, --ulimit nofile=4096 for a container.\n"
    );
  }
  return undefined;
}
