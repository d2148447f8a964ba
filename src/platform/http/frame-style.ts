import { readFileSync } from "node:fs";

/** A file beside this module. */
export function assetOf(name: string): string {
  return readFileSync(new URL(`./assets/${name}`, import.meta.url), "utf8");
}

/** The style that all pages share: colors, spacing and type, and the line at the top. */
export const frameStyle = ["theme.css", "header.css"].map(assetOf).join("");
