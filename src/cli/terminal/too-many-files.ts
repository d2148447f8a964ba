/** The system's codes for no more open files: of the process, and of the whole machine. */
const codes: readonly unknown[] = ["EMFILE", "ENFILE"];

/**
 * What to say of a failure whose cause is that no more files can be opened.
 * @returns nothing when it is another failure
 */
export function tooManyFiles(error: unknown): string | undefined {
  // A cause may be its own, in a circle.
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
