/** A path or an address for a command line in a message, if no shell needs quotes for it. */
export function inShell(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : "<its path>";
}
