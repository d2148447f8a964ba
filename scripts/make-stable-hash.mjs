// Compiles the hash of proofs of indexing. Run: node scripts/make-stable-hash.mjs. A test compares the result with the source.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/dist/asc";

const folder = new URL("../src/runtime/poi/", import.meta.url);

/** The module that contains the compiled hash, as text. */
export async function makeStableHash() {
  await asc.ready;
  const source = readFileSync(new URL("stable-hash.as", folder), "utf8");
  let wasm;
  let messages = "";
  const stream = {
    write(text) {
      messages += text;
    },
  };
  const options = ["-O3", "--runtime", "stub", "--noAssert", "--initialMemory", "1"];
  const failure = await new Promise((resolve) => {
    asc.main(
      ["stable-hash.ts", "--outFile", "stable-hash.wasm", ...options],
      {
        stdout: stream,
        stderr: stream,
        readFile: (name) => (name === "stable-hash.ts" ? source : null),
        writeFile: (name, contents) => {
          if (name === "stable-hash.wasm") wasm = contents;
        },
        listFiles: () => [],
      },
      (error) => {
        resolve(error);
        return 0;
      },
    );
  });
  if (failure || !wasm) throw new Error(`the hash does not compile: ${messages}`);
  const base64 = Buffer.from(wasm).toString("base64");
  return `/** The WASM of \`stable-hash.as\`, which \`scripts/make-stable-hash.mjs\` compiles. */\nexport const stableHash =\n  "${base64}";\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(new URL("stable-hash-wasm.ts", folder), await makeStableHash());
