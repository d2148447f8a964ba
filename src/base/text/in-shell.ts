/** A path or an address for a command line that a message shows, if it needs no quotes in any shell. */
export function inShell(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : "<its path>";
}
