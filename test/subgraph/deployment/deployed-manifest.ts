import { dump } from "js-yaml";
import type { Build } from "../../../src/subgraph/build.js";
import { unlinkBuild } from "../../../src/subgraph/deployment/unlink-build.js";
import { cidV0 } from "../../../src/web/ipfs/cid.js";
import { wasm } from "../sample-build.js";

export const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
export const schemaCid = cidV0(encode("schema"));
export const abiCid = cidV0(encode("[]"));
export const stored = new Map(
  [schemaCid, abiCid].map((cid, index) => [cid, encode(["schema", "[]"][index] ?? "")]),
);
export const wasmCids = [1, 2, 3].map((number) => {
  const cid = cidV0(wasm(number));
  stored.set(cid, wasm(number));
  return cid;
});

export async function fetchFrom(
  files: ReadonlyMap<string, Uint8Array>,
  manifest: Uint8Array,
): Promise<Build> {
  return unlinkBuild(manifest, async (cid) => {
    const bytes = files.get(cid);
    if (!bytes) throw new Error(`nothing at ${cid}`);
    return bytes;
  });
}

export const link = (cid: string): object => ({ "/": `/ipfs/${cid}` });

export function source(
  name: string,
  module = wasmCids[0] as string,
  abis: readonly string[] = ["Abi"],
): object {
  const mapping = { file: link(module), abis: abis.map((abi) => ({ name: abi, file: link(abiCid) })) };
  return { kind: "ethereum", name, network: "mainnet", source: { abi: "Abi" }, mapping };
}

export const deployed = (more: object): Uint8Array =>
  encode(
    dump(
      { specVersion: "1.2.0", schema: { file: link(schemaCid) }, ...more },
      { noRefs: true, sortKeys: true },
    ),
  );
