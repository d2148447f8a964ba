import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

/** Starts anvil on a free port. @returns its address, and a function that ends it */
export async function startAnvil(flags) {
  const require = createRequire(import.meta.url);
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  const inside = createRequire(require.resolve("@foundry-rs/anvil/package.json"));
  const binary = inside.resolve(`@foundry-rs/anvil-${process.platform}-${architecture}/bin/anvil`);
  const child = spawn(binary, ["--host", "127.0.0.1", "--port", "0", ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.once("exit", () => child.kill("SIGKILL"));
  const url = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`anvil ended with status ${code}`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [, place] = /Listening on (\S+)/.exec(line) ?? [];
      if (place) resolve(`http://${place}`);
    });
  });
  return { url, stop: () => child.kill("SIGKILL") };
}

/** A client that sends one request, or many in one body. */
export function createClient(url) {
  let id = 0;
  const post = async (body) => {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return answer.json();
  };
  const resultOf = ({ result, error }, method) => {
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  return {
    async ask(method, ...params) {
      id += 1;
      return resultOf(await post({ jsonrpc: "2.0", id, method, params }), method);
    },
    async askAll(requests) {
      const answers = await post(
        requests.map(([method, ...params], index) => ({ jsonrpc: "2.0", id: index, method, params })),
      );
      const sorted = answers.toSorted((a, b) => a.id - b.id);
      return sorted.map((answer, index) => resultOf(answer, requests[index][0]));
    },
  };
}
