/** Whether the body of a response is HTML or other XML, which the API never sends. */
export function isPage(text: string): boolean {
  return /^\s*</.test(text);
}
