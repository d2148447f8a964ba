// After `npm run build` at the root of the repository: node examples/library/compile.mjs
import { build, compile, createNodeHost } from "graphloom";

const host = createNodeHost({ cwd: import.meta.dirname });

const compiled = await compile("subgraph.json", host);
for (const path of compiled.files.keys()) console.log(path);

const built = await build("subgraph.json", host);
for (const { severity, message } of built.diagnostics) console.log(`${severity}: ${message}`);
for (const [path, content] of built.files) if (path.endsWith(".wasm")) console.log(path, content.length);
