// Packs the last commit in two clones, in folders of different length, one after the other, and compares the bytes. Takes a
// few minutes, and the packages of this clone. Run before a release: npm run check:tarball
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const place = mkdtempSync(join(tmpdir(), "graphloom-tarball-"));

/** @returns the SHA-256 of the packed package */
function packIn(folder) {
  const parent = join(place, folder);
  const clone = join(parent, "clone");
  mkdirSync(parent, { recursive: true });
  const quiet = { stdio: ["ignore", "ignore", "inherit"] };
  execFileSync("git", ["clone", "--quiet", root, clone], quiet);
  execFileSync("cp", ["-a", "--reflink=auto", join(root, "node_modules"), clone], quiet);
  execFileSync("npm", ["pack", "--silent", "--pack-destination", parent], { ...quiet, cwd: clone });
  const name = readdirSync(parent).find((file) => file.endsWith(".tgz"));
  const hash = createHash("sha256")
    .update(readFileSync(join(parent, name)))
    .digest("hex");
  console.log(`${hash}  ${name}`);
  rmSync(clone, { recursive: true, force: true });
  return hash;
}

try {
  const hashes = ["a", "a-folder-with-a-longer-name/and-one-below-it"].map(packIn);
  if (hashes[0] !== hashes[1]) throw new Error("the two packages differ");
} finally {
  rmSync(place, { recursive: true, force: true });
}
