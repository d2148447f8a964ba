import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { AscInput } from "../../../src/compiler/asc/asc.js";

const packageFolder = dirname(createRequire(import.meta.url).resolve("@graphprotocol/graph-ts/package.json"));

/** The installed sources of graph-ts. */
export const graphTs: ReadonlyMap<string, string> = new Map(
  ["", "chain", "common", "global", "types"].flatMap((folder) =>
    readdirSync(join(packageFolder, folder))
      .filter((name) => name.endsWith(".ts"))
      .map((name) => {
        const path = folder ? `${folder}/${name}` : name;
        return [path, readFileSync(join(packageFolder, path), "utf8")] as const;
      }),
  ),
);

/** A program of one mapping file whose handler has this body. */
export function handler(body: string, more: Readonly<Record<string, string>> = {}): AscInput {
  const lines = [
    'import { Address, BigInt, Bytes, ethereum } from "@graphprotocol/graph-ts";',
    "export function handle(event: ethereum.Event): void {",
    `  ${body}`,
    "}",
    "",
  ];
  return program({ "src/mapping.ts": lines.join("\n"), ...more });
}

/** A program of these files, in check mode. */
export function program(files: Readonly<Record<string, string>>): AscInput {
  return {
    entry: "src/mapping.ts",
    files: new Map(Object.entries(files)),
    graphTs,
    expressions: [],
    mode: "check",
  };
}

/** The text a place covers. */
export function textAt(input: AscInput, place: { file: string; start: number; end: number } | undefined) {
  return place && `${place.file}: ${input.files.get(place.file)?.slice(place.start, place.end)}`;
}
