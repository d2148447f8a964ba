import type { Severity } from "./diagnostic.js";

/** The role of a piece of text, which determines its decoration. */
export type TextRole = Severity | "message" | "frame" | "related";

/** Decorates a piece of text. */
export type Paint = (role: TextRole, text: string) => string;

const styles: Readonly<Record<TextRole, string>> = {
  error: "1;31",
  warning: "1;33",
  note: "1;36",
  message: "1",
  frame: "34",
  related: "34",
};

export const colored: Paint = (role, text) => (text === "" ? "" : `\u001b[${styles[role]}m${text}\u001b[0m`);

export const plain: Paint = (_, text) => text;
