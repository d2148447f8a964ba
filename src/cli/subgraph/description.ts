const longest = 500;

/** What is wrong with a description, as a sentence; nothing when the API takes it. */
export function descriptionFault(text: string | undefined): string | undefined {
  if (text === undefined || text.length <= longest) return undefined;
  return `--description: ${text.length} characters are too many; ${longest} are allowed.`;
}
