import { UsageError } from "../terminal/usage/usage-error.js";

const longest = 500;

/** @throws UsageError for a description that exceeds the API's limit */
export function checkDescription(text: string | undefined): void {
  if (text === undefined || text.length <= longest) return;
  throw new UsageError(`--description has ${text.length} characters, but at most ${longest} are allowed.`);
}
