import { dump } from "js-yaml";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { type DownloadProgress, downloadBuild } from "../../../src/deploy/ipfs/download.js";
import { IpfsError } from "../../../src/deploy/ipfs/ipfs-error.js";
import { createNodeWorld } from "../../../src/machine/world.js";
import { BundleError } from "../../../src/subgraph/bundle-error.js";
import { linkBuild } from "../../../src/subgraph/deployment/link-build.js";
import { HttpError } from "../../../src/web/http/http-error.js";
import { sampleBuild, wasm } from "../../subgraph/sample-build.js";
import { type IpfsDouble, startIpfsDouble } from "../../support/network/ipfs-double.js";

const world = { ...createNodeWorld(), sleep: async () => {} };
const linked = linkBuild(sampleBuild());
const { deploymentId } = linked;
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

let ipfs: IpfsDouble;
beforeEach(async () => {
  ipfs = await startIpfsDouble();
  for (const { bytes } of linked.files) await ipfs.put(bytes);
  await ipfs.put(linked.manifest);
});
afterEach(() => ipfs.stop());

describe("downloading a deployment", () => {
  test.each([
    [deploymentId, ""],
    [`/ipfs/${deploymentId}`, "/"],
    [`ipfs://${deploymentId}`, "/ipfs"],
    [` ${deploymentId}/`, "/ipfs/"],
  ])("downloads %j from a gateway whose address ends with %j", async (hash, end) => {
    const build = await downloadBuild(hash, `${ipfs.url}${end}`, world);
    expect(linkBuild(build).deploymentId).toBe(deploymentId);
    expect([...build.files.keys()].sort()).toEqual([...sampleBuild().files.keys()].sort());
    expect(ipfs.requests[0]?.path).toBe(`/ipfs/${deploymentId}`);
    // ERC20 occurs twice, and is requested once.
    expect(ipfs.requests).toHaveLength(7);
  });

  it("reports its progress", async () => {
    const seen: DownloadProgress[] = [];
    await downloadBuild(deploymentId, ipfs.url, world, (progress) => seen.push(progress));
    expect(seen.map(({ files }) => files)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const different = new Map(linked.files.map(({ cid, bytes }) => [cid, bytes.length]));
    const total = [...different.values()].reduce((sum, size) => sum + size, linked.manifest.length);
    expect(seen.at(-1)?.bytes).toBe(total);
    expect(seen[0]?.bytes).toBe(linked.manifest.length);
  });

  it("stops after half an hour, for any number of files", async () => {
    let time = 0;
    const slow = { ...world, now: () => (time += 200_000) };
    await expect(downloadBuild(deploymentId, ipfs.url, slow)).rejects.toThrow(
      /^The IPFS gateway \S+ returned only \d files of Qm\w+ in 30 minutes; use a different gateway$/,
    );
  });

  it("accepts hashes of version 1", async () => {
    const link = async (content: string | Uint8Array, rawLeaves: boolean): Promise<object> => ({
      "/": `/ipfs/${await ipfs.put(content, { cidVersion: 1, rawLeaves })}`,
    });
    const mapping = {
      file: await link(Buffer.concat([wasm(), new Uint8Array(300_000)]), true),
      abis: [{ name: "A", file: await link("[]", true) }],
    };
    const dataSources = [{ name: "A", network: "mainnet", mapping }];
    const manifest = dump({
      specVersion: "1.2.0",
      schema: { file: await link("type A {}", false) },
      dataSources,
    });
    const root = await ipfs.put(manifest, { cidVersion: 1, rawLeaves: true });
    expect(root).toMatch(/^baf/);
    const build = await downloadBuild(root, ipfs.url, world);
    expect(build.files.get("A/A.wasm")).toHaveLength(300_008);
  });

  it("retries when the gateway is busy", async () => {
    ipfs.fail({ kind: "status", status: 504 }, { kind: "cut" });
    expect(linkBuild(await downloadBuild(deploymentId, ipfs.url, world)).deploymentId).toBe(deploymentId);
  });
});

describe("downloading fails for", () => {
  const download = (hash = deploymentId): Promise<unknown> => downloadBuild(hash, ipfs.url, world);

  test.each([
    "",
    "Qm",
    "pools/1.0.0",
    `${deploymentId}x`,
    "https://ipfs.io/ipfs/x",
    `/ipfs/${deploymentId}/schema`,
  ])("rejects %j, which is not a hash", async (text) => {
    await expect(download(text)).rejects.toThrow(
      `"${text}" is not an IPFS hash; an IPFS hash is "Qm" and 44 more characters`,
    );
    expect(ipfs.requests).toEqual([]);
  });

  it("rejects a hash that cannot be verified", async () => {
    const cbor = "bafyreigbtj4x7ip5legnfznufuopl4sg4knzc2cof6duas4b3q2fy6swua";
    await expect(download(cbor)).rejects.toThrow(
      `"${cbor}" is an IPFS hash of a kind that cannot be verified`,
    );
    expect(ipfs.requests).toEqual([]);
  });

  it("fails when the gateway does not have the hash", async () => {
    ipfs.forget(deploymentId);
    await expect(download()).rejects.toThrow(
      `The IPFS gateway ${ipfs.url} did not return ${deploymentId} (status 404): ipld: could not find ${deploymentId}; check the hash, or use a different gateway`,
    );
  });

  it("fails when a file is missing", async () => {
    const [file] = linked.files;
    ipfs.forget(file?.cid ?? "");
    await expect(download()).rejects.toThrow(`did not return ${file?.cid}`);
  });

  it("rejects a manifest that the gateway changed", async () => {
    for (const lie of [
      (_: string, bytes: Uint8Array) => bytes.subarray(1),
      (_: string, bytes: Uint8Array) => Uint8Array.from([...bytes, 10]),
      () => encode("<html>"),
    ]) {
      ipfs.lie(lie);
      await expect(download()).rejects.toThrow(IpfsError);
      await expect(download()).rejects.toThrow(
        new RegExp(
          `returned the wrong content for ${deploymentId}: its hash is Qm\\w{44}; use a different gateway`,
        ),
      );
    }
  });

  it("rejects a file that the gateway changed", async () => {
    const victim = linked.files.find(({ path }) => path === "Factory/Factory.wasm")?.cid ?? "";
    ipfs.lie((cid, bytes) => (cid === victim ? wasm(9) : bytes));
    await expect(download()).rejects.toThrow(`returned the wrong content for ${victim}`);
  });

  it("rejects the hash of content that is not a subgraph", async () => {
    const cid = await ipfs.put("hello");
    await expect(download(cid)).rejects.toThrow(BundleError);
    await expect(download(cid)).rejects.toThrow(
      `${cid} cannot be deployed: "the manifest on IPFS" is not the manifest of a subgraph: it is not a map`,
    );
  });

  it("rejects a file that is larger than graph-node reads", async () => {
    ipfs.lie((_, bytes) =>
      bytes === ipfs.held.get(deploymentId) ? bytes : new Uint8Array(25 * 1_048_576 + 1),
    );
    await expect(download()).rejects.toThrow(HttpError);
    await expect(download()).rejects.toThrow("the answer is longer than 25 MiB");
  });

  it("rejects a subgraph that is larger than the limit for deployments", async () => {
    const size = 21_000_000;
    const abis = await Promise.all(
      [1, 2, 3, 4, 5].map(async (fill) => {
        const file = { "/": `/ipfs/${await ipfs.put(new Uint8Array(size).fill(fill))}` };
        return { name: `A${fill}`, file };
      }),
    );
    const schema = { file: { "/": `/ipfs/${await ipfs.put("type A {}")}` } };
    const file = { "/": `/ipfs/${await ipfs.put(wasm(1))}` };
    const dataSources = [{ name: "A", mapping: { file, abis } }];
    const root = await ipfs.put(dump({ specVersion: "1.2.0", schema, dataSources }));
    await expect(download(root)).rejects.toThrow(
      `The files of ${root} exceed 100 MB in total, which is the limit for a deployment`,
    );
  });

  it("fails when the address is not a URL or the connection is refused", async () => {
    await expect(downloadBuild(deploymentId, "ipfs.io", world)).rejects.toThrow(
      'The address of the IPFS gateway is not a URL that starts with "http://" or "https://"',
    );
    await ipfs.stop();
    await expect(download()).rejects.toThrow(HttpError);
  });
});
