/** The raw query of a URL: everything after the first question mark, including further ones. */
export function queryTextOf(url: string): string {
  const at = url.indexOf("?");
  return at < 0 ? "" : url.slice(at + 1);
}

/** The fields in the query of a URL. */
export function queryFieldsOf(url: string): URLSearchParams {
  return new URLSearchParams(queryTextOf(url));
}
