import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findBroadcasts } from "../../src/discovery/find-broadcasts.js";
import { memoryHost } from "../support/compiler/memory-host.js";

const upgraded = "0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b";
const deployer = "0x4e59b44847b379578588920ca78fbf26c0b4956c";

function at(number: number): string {
  return `0x${number.toString(16).padStart(40, "0")}`;
}

function word(address: string): string {
  return `0x${"0".repeat(24)}${address.slice(2)}`;
}

/** A transaction of a run, with its place on the chain. */
interface Sent {
  readonly type: "CREATE" | "CREATE2" | "CALL";
  readonly name: string | null;
  readonly address: string;
  readonly makes?: readonly (readonly [name: string, address: string])[];
  /** Where it was mined; absent if it failed, because forge keeps no receipt then. */
  readonly block?: number;
  readonly index?: number;
  /** The target of an upgrade in it. */
  readonly upgradesTo?: string;
}

/** A record as forge writes it. @param hashes which hash it wrote for each transaction */
function run(
  sent: readonly Sent[],
  { hashes = sent.map((_, index) => index), pending = [], time = 1_795_888_787_377 }: RunOptions = {},
): string {
  const from = at(0xaa);
  const to = ({ type, address }: Sent): string | null =>
    type === "CREATE" ? null : type === "CREATE2" ? deployer : address;
  const transactions = sent.map((one, nonce) => ({
    hash: `0x${hashes[nonce]}`,
    transactionType: one.type,
    contractName: one.name,
    contractAddress: one.address,
    arguments: null,
    transaction: { from, to: to(one), nonce: `0x${nonce.toString(16)}`, chainId: "0xaa36a7" },
    additionalContracts: (one.makes ?? []).map(([contractName, address]) => ({
      transactionType: "CREATE",
      contractName,
      address,
      initCode: "0x",
    })),
  }));
  const receipts = sent.flatMap((one, number) => {
    if (one.block === undefined) return [];
    const topics = [upgraded, word(one.upgradesTo ?? "0x")];
    return {
      transactionHash: `0x${number}`,
      blockHash: `0xb${one.block}`,
      status: "0x1",
      from,
      to: to(one),
      blockNumber: `0x${one.block.toString(16)}`,
      transactionIndex: `0x${(one.index ?? 0).toString(16)}`,
      contractAddress: one.type === "CREATE" ? one.address : null,
      logs: one.upgradesTo === undefined ? [] : [{ address: one.address, topics, data: "0x" }],
    };
  });
  return JSON.stringify({ transactions, receipts, pending, libraries: [], timestamp: time, chain: 11155111 });
}

interface RunOptions {
  readonly hashes?: readonly number[];
  readonly pending?: readonly string[];
  readonly time?: number;
}

async function blocksIn(files: Readonly<Record<string, string>>): Promise<Map<string, number | undefined>> {
  const found = await findBroadcasts(memoryHost(files));
  return new Map(found.map(({ address, startBlock }) => [address, startBlock]));
}

const folder = "broadcast/Deploy.s.sol/11155111";

function withoutBlock({ block: _, ...one }: Sent): Sent {
  return one;
}

describe("the start blocks from records of real Foundry runs", () => {
  const kept = new URL("../support/foundry/records/", import.meta.url);

  it.each(readdirSync(kept))("are the blocks of the creations on the chain: %s", async (name) => {
    const { created, files } = JSON.parse(readFileSync(new URL(name, kept), "utf8"));
    const texts = Object.entries(files).map(([path, file]) => [path, JSON.stringify(file)]);
    const found = await findBroadcasts(memoryHost(Object.fromEntries(texts)));
    expect(found.map(({ network, address }) => `${network} ${address}`).sort()).toEqual(
      Object.keys(created).sort(),
    );
    for (const { network, address, startBlock } of found) {
      const block = created[`${network} ${address}`] ?? undefined;
      if (name.startsWith("killed")) expect(startBlock ?? 0).toBeLessThanOrEqual(block ?? Infinity);
      else expect([address, startBlock]).toEqual([address, block]);
    }
  });
});

describe("the start blocks from the record of a run", () => {
  /** Transactions of one account, which are mined in their order, and the hashes that forge mixed up. */
  const runs = fc
    .array(
      fc.record({
        kind: fc.constantFrom("CREATE", "CREATE2", "CALL", "make"),
        callee: fc.nat(2),
        isSameBlock: fc.boolean(),
        isFailure: fc.nat(9).map((number) => number === 0),
      }),
      { minLength: 1, maxLength: 12 },
    )
    .chain((kinds) => {
      let [block, index] = [100, 0];
      const sent = kinds.map(
        ({ kind, callee, isSameBlock, isFailure }, number): Sent & { isLost: boolean } => {
          [block, index] = isSameBlock ? [block, index + 1] : [block + 1, 0];
          const type = kind === "make" ? "CALL" : (kind as Sent["type"]);
          return {
            type,
            name: `C${number}`,
            block,
            index,
            isLost: isFailure,
            address: type === "CALL" ? at(0x900 + callee) : at(0x100 + number),
            makes: kind === "make" ? [[`M${number}`, at(0x500 + number)]] : [],
          };
        },
      );
      const numbers = sent.map((_, number) => number);
      return fc.record({
        sent: fc.constant(sent),
        hashes: fc.shuffledSubarray(numbers, { minLength: numbers.length, maxLength: numbers.length }),
      });
    });

  it("are right when all transactions were mined, and never too late, even with wrong hashes", async () => {
    await fc.assert(
      fc.asyncProperty(runs, async ({ sent, hashes }) => {
        const truth = new Map(
          sent.flatMap(({ type, address, makes = [], block }) => [
            ...(type === "CALL" ? [] : [[address, block] as const]),
            ...makes.map(([, made]) => [made, block] as const),
          ]),
        );
        expect(await blocksIn({ [`${folder}/run-latest.json`]: run(sent, { hashes }) })).toEqual(truth);
        const partial = sent.map(({ isLost, ...one }) => (isLost ? withoutBlock(one) : one));
        const told = await blocksIn({ [`${folder}/run-latest.json`]: run(partial, { hashes }) });
        for (const [address, block] of told)
          expect(block ?? 0, address).toBeLessThanOrEqual(truth.get(address) ?? 0);
        for (const { type, address, block } of partial)
          if (type === "CREATE")
            expect([told.has(address), told.get(address)]).toEqual([block !== undefined, block]);
      }),
    );
  });

  it("belong to the addresses in the receipts when the record lacks senders and nonces", async () => {
    const created = (name: string, address: string, hash: string): object => ({
      hash,
      transactionType: "CREATE",
      contractName: name,
      contractAddress: address,
    });
    const record = JSON.stringify({
      transactions: [created("Shop", at(1), "0x3"), created("Till", at(2), "0x1")],
      receipts: [
        { transactionHash: "0x1", blockNumber: "0x64", contractAddress: at(1) },
        { transactionHash: "0x3", blockNumber: "0x6e", contractAddress: at(2) },
      ],
    });
    expect(await blocksIn({ [`${folder}/run-latest.json`]: record })).toEqual(
      new Map([
        [at(1), 100],
        [at(2), 110],
      ]),
    );
  });

  it("are the first possible ones when crossed hashes leave several", async () => {
    const record = JSON.stringify({
      transactions: [
        { hash: "0x2", transactionType: "CREATE", contractName: "Shop", contractAddress: at(1) },
        {
          hash: "0x3",
          transactionType: "CALL",
          contractName: "Factory",
          contractAddress: at(9),
          additionalContracts: [{ transactionType: "CREATE", contractName: "Pool", address: at(3) }],
        },
        { hash: "0x1", transactionType: "CREATE2", contractName: "Till", contractAddress: at(2) },
      ],
      receipts: [
        { transactionHash: "0x1", blockNumber: "0x64", contractAddress: at(1) },
        { transactionHash: "0x2", blockNumber: "0x65", contractAddress: null },
        { transactionHash: "0x3", blockNumber: "0x66", contractAddress: null },
      ],
    });
    expect(await blocksIn({ [`${folder}/run-latest.json`]: record })).toEqual(
      new Map([
        [at(1), 100],
        [at(3), 101],
        [at(2), 101],
      ]),
    );
  });

  it("are absent for transactions that were not sent or that failed", async () => {
    const record = JSON.parse(
      run([
        { type: "CREATE", name: "Sent", address: at(1), block: 5 },
        { type: "CREATE", name: "Failed", address: at(2) },
        { type: "CREATE", name: "Unsent", address: at(3) },
        { type: "CREATE", name: "Reverted", address: at(4), block: 6 },
      ]),
    );
    record.transactions[2].hash = null;
    record.receipts[1].status = "0x0";
    expect(await blocksIn({ [`${folder}/run-latest.json`]: JSON.stringify(record) })).toEqual(
      new Map([[at(1), 5]]),
    );
  });
});

describe("the runs of scripts", () => {
  const proxy: readonly Sent[] = [
    { type: "CREATE", name: "Vault", address: at(1), block: 1 },
    { type: "CREATE", name: "ERC1967Proxy", address: at(2), block: 2, upgradesTo: at(1) },
  ];
  const upgrade: readonly Sent[] = [
    { type: "CREATE", name: "VaultV2", address: at(3), block: 5 },
    { type: "CALL", name: "ERC1967Proxy", address: at(2), block: 6, upgradesTo: at(3) },
  ];
  const upgradedProxy = {
    contract: "ERC1967Proxy",
    address: at(2),
    network: "sepolia",
    implementation: at(3),
    formerImplementations: [at(1)],
  };

  it("are all read, also those of other functions", async () => {
    const [first, second] = [run(proxy, { time: 1_000_000_000 }), run(upgrade, { time: 1_795_888_787_000 })];
    for (const name of ["run", "upgrade", "deploy"]) {
      const found = await findBroadcasts(
        memoryHost({
          [`${folder}/run-1000000000.json`]: first,
          [`${folder}/${name}-1795888787000.json`]: second,
          [`${folder}/${name}-latest.json`]: second,
          [`${folder}/dry-run/run-latest.json`]: run([{ type: "CREATE", name: "Dry", address: at(9) }]),
        }),
      );
      expect(found).toEqual([
        { contract: "Vault", address: at(1), network: "sepolia", startBlock: 1, path: expect.anything() },
        { ...upgradedProxy, startBlock: 2, path: `${folder}/run-1000000000.json` },
        {
          contract: "VaultV2",
          address: at(3),
          network: "sepolia",
          startBlock: 5,
          path: `${folder}/${name}-latest.json`,
        },
      ]);
    }
  });

  it("show a proxy that they upgraded but did not create", async () => {
    const found = await findBroadcasts(memoryHost({ [`${folder}/run-latest.json`]: run(upgrade) }));
    expect(found).toMatchObject([
      { contract: "VaultV2", address: at(3) },
      { contract: "ERC1967Proxy", address: at(2), implementation: at(3) },
    ]);
    expect(found[1]).not.toHaveProperty("startBlock");
  });

  it("mark a contract as repeated that a later run of the same script deployed again", async () => {
    const again = [
      { type: "CREATE", name: "Vault", address: at(11), block: 11 },
      { type: "CREATE", name: "ERC1967Proxy", address: at(12), block: 12, upgradesTo: at(11) },
    ] as const;
    const other = [
      { type: "CREATE", name: "Bank", address: at(21), block: 21 },
      { type: "CREATE", name: "ERC1967Proxy", address: at(22), block: 22, upgradesTo: at(21) },
    ] as const;
    const found = await findBroadcasts(
      memoryHost({
        [`${folder}/run-1795888787001.json`]: run(proxy, { time: 1_795_888_787_001 }),
        [`${folder}/run-1795888787002.json`]: run(again, { time: 1_795_888_787_002 }),
        [`${folder}/run-1795888787003.json`]: run(other, { time: 1_795_888_787_003 }),
        "broadcast/Other.s.sol/11155111/run-latest.json": run(
          [{ type: "CREATE", name: "Vault", address: at(31), block: 31 }],
          { time: 1_795_888_787_004 },
        ),
      }),
    );
    expect(found.filter(({ isRepeated }) => isRepeated).map(({ address }) => address)).toEqual([
      at(1),
      at(2),
    ]);
  });
});
