import type { Severity } from "./diagnostic.js";

/** What a piece of text is; only decoration depends on it. */
export type Role = Severity | "message" | "frame" | "related";

/** Decorates a piece of text, or leaves it. */
export type Paint = (role: Role, text: string) => string;

const styles: Readonly<Record<Role, string>> = {
  error: "1;31",
  warning: "1;33",
  note: "1;36",
  message: "1",
  frame: "34",
  related: "34",
};

/** Colours for a terminal. */
export const colored: Paint = (role, text) => (text === "" ? "" : `\u001b[${styles[role]}m${text}\u001b[0m`);

/** The text as it is. */
export const plain: Paint = (_, text) => text;
