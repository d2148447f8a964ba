// Renames the script `prepare` while the package is packed, and back afterwards: npm asks users of a package to approve it,
// although a package is built already. Here and after an installation from git, `prepare` builds.
// node scripts/packed-manifest.mjs [--restore]
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const file = fileURLToPath(new URL("../package.json", import.meta.url));
const names = ["prepare", "prepare:sources"];
const [from, to] = process.argv.includes("--restore") ? names.reverse() : names;
const text = readFileSync(file, "utf8");
writeFileSync(file, text.replace(`"${from}": `, `"${to}": `));
