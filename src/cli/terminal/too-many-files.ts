/** The system's error codes for too many open files: in the process, and on the whole machine. */
const codes: readonly unknown[] = ["EMFILE", "ENFILE"];

/**
 * The message for a failure that is caused by too many open files.
 * @returns nothing for other failures
 */
export function tooManyFiles(error: unknown): string | undefined {
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
