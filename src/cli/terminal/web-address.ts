/** Whether a text is an address of the web: a URL that begins with `http://` or `https://`. */
export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
