/** Quotes text from the configuration for a message: shortened, on one line. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text);
}

/** Quotes the path of a file on one line. It is never shortened, so that the reader can find the file. */
export function quotePath(path: string): string {
  return JSON.stringify(path);
}
