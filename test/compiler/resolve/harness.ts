import { expect } from "vitest";
import type { JsonEntry } from "../abi/abi-of.js";
import { fn } from "../abi/entries.js";
import { address, findings, vault } from "../pipeline/harness.js";

/** A configuration whose call `x` is to be declared, in the handler of an event. */
export function declaring(
  call: object,
  on: string,
  abi: readonly JsonEntry[] = vault,
): Readonly<Record<string, string>> {
  const handler = { calls: { x: { declared: true, ...call } }, entities: {} };
  return {
    "c.json": JSON.stringify({
      version: "1",
      enableCallHandlers: on.startsWith("function"),
      abis: { Vault: abi, Other: [fn("total", "view", [], ["uint256"])] },
      instances: [
        { abi: "Vault", address, startBlock: 1, chain: "mainnet", enrich: { handlers: { [on]: handler } } },
      ],
    }),
  };
}

interface Declared {
  readonly call: string | undefined;
  readonly specVersion: string | undefined;
  readonly found: readonly string[];
}

/** The result for the call: its text in the manifest, and the findings. */
export async function declare(call: object, on: string, abi?: readonly JsonEntry[]): Promise<Declared> {
  const { ok, files, found, diagnostics } = await findings("compile", declaring(call, on, abi));
  expect(ok).toBe(true);
  const manifest = String(files.get("subgraph.yaml"));
  return {
    call: /calls:\n +x: (.*)/.exec(manifest)?.[1],
    specVersion: /^specVersion: (.*)/.exec(manifest)?.[1],
    found: found
      .filter((line) => !/unused-abi|may-abort|field-renamed/.test(line))
      .map(
        (line) =>
          `${line.replace(/ \d+:\d+/, "")}: ${diagnostics.find(({ code }) => code === "not-declarable")?.label}`,
      ),
  };
}
