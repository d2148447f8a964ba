import { expect, it } from "vitest";
import { archivedNetworks, openArchive } from "../../../src/datasets/archive/open-archive.js";
import { MemoryArchiveFiles } from "../../support/archive/memory-files.js";
import { useAnvil } from "../../support/chain/anvil.js";

const one = useAnvil(["--timestamp", "1700000000"]);
const other = useAnvil(["--timestamp", "1800000000"]);

it("two chains with the id of a local one never share a folder, even if they begin at the same moment", async () => {
  const files = new MemoryArchiveFiles();
  const opened = await Promise.all(
    [one(), other()].map(({ client }, index) => openArchive(files, `local${index}`, client)),
  );
  const networks = await archivedNetworks(files);
  for (const [index, { identity }] of opened.entries()) {
    const own = networks.find(({ network }) => network === `local${index}`);
    expect(own?.folder).toBe(`31337-${identity.first?.hash.slice(2, 10)}`);
  }
  expect(new Set(networks.map(({ folder }) => folder)).size).toBe(2);
});

it("the archive continues with the folder of an earlier version, which is named after the id alone", async () => {
  const files = new MemoryArchiveFiles();
  const { identity } = await openArchive(files, "anvil", one().client);
  const early = new MemoryArchiveFiles();
  const line = { network: "anvil", folder: "31337", chainId: "31337", first: identity.first };
  await early.append("networks.jsonl", `\n${JSON.stringify(line)}\n`);
  await openArchive(early, "anvil", one().client);
  await openArchive(early, "hardhat", one().client);
  await openArchive(early, "hardhat", other().client);
  const folders = (await archivedNetworks(early)).map(({ network, folder }) => `${network} ${folder}`);
  expect(folders).toEqual([
    "anvil 31337",
    "hardhat 31337",
    expect.stringMatching(/^hardhat 31337-[0-9a-f]{8}$/),
  ]);
});
