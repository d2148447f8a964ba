/** Windows device names, with any extension. */
const DEVICES = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/** Why a path must not be written below a target; `undefined` if it may. */
export function unsafePath(path: string): string | undefined {
  if (path.includes("\0")) return "it contains a NUL character";
  if (path.includes("\\")) return "it contains a backslash";
  if (path.startsWith("/") || /^[a-z]:/i.test(path)) return "it is absolute";
  for (const name of path.split("/")) {
    if (name === "") return "it has an empty segment";
    if (name === "." || name === "..") return `it contains "${name}"`;
    if (DEVICES.test(name)) return `"${name}" is a Windows device name`;
    if (/[. ]$/.test(name)) return `"${name}" ends in a dot or a space, which Windows drops`;
    if (/[<>:"|?*]/.test(name) || [...name].some((character) => character < " "))
      return `"${name}" has a character that Windows does not allow`;
  }
  if (path.split("/")[0]?.toLowerCase() === RECORD_FOLDER)
    return `"${RECORD_FOLDER}" is reserved for graphloom`;
  return undefined;
}

/** The folder of the record, the journal and the lock inside a target. */
export const RECORD_FOLDER = ".graphloom";
