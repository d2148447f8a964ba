/** The query of a URL as it is written: what follows the first question mark, which may contain others. */
export function queryTextOf(url: string): string {
  const at = url.indexOf("?");
  return at < 0 ? "" : url.slice(at + 1);
}

/** The fields in the query of a URL. */
export function queryFieldsOf(url: string): URLSearchParams {
  return new URLSearchParams(queryTextOf(url));
}
