/** Whether the body of an answer is a page for a browser, or another kind of XML: nothing that the API ever says. */
export function isPage(text: string): boolean {
  return /^\s*</.test(text);
}
