import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createPostgresStore } from "../../src/data/reads/postgres-store.js";
import { createDataService } from "../../src/data/service/data-service.js";
import { createNodeWorld } from "../../src/machine/world.js";
import { openDatabase } from "../../src/store/open.js";
import { graphloom, workplace } from "../cli/harness.js";
import { useAnvil } from "../support/chain/anvil.js";
import { deployOddToken } from "../support/chain/odd-tokens.js";
import { ask, dataKey } from "../support/data/asked.js";

const anvil = useAnvil(["--network", "optimism"]);

/** Sends a deposit as a rollup makes it of a transaction on the parent chain. */
async function deposit(from: string, to: string, mint: bigint, value: bigint): Promise<string> {
  const quantity = (number: bigint): string => `0x${number.toString(16)}`;
  const hash = await anvil().rpc<string>("eth_sendTransaction", {
    type: "0x7e",
    from,
    to,
    gas: "0x30d40",
    input: "0x",
    isSystemTx: false,
    sourceHash: `0x${"5".repeat(64)}`,
    mint: quantity(mint),
    value: quantity(value),
  });
  return (await anvil().receipt(hash)).status;
}

it("native transfers add up to the balances of wallets on a rollup, including the deposits of their senders", async () => {
  const [sender, other] = [`0x${"a".repeat(40)}`, `0x${"b".repeat(40)}`];
  const token = await deployOddToken(anvil(), "Base");
  const before = await anvil().blockNumber();
  const statuses = [
    await deposit(sender, sender, 1_000n, 100n),
    await deposit(sender, other, 500n, 700n),
    await deposit(sender, other, 0n, 50n),
    // The token takes no ether: the value stays, and so does what was made.
    await deposit(sender, token.address, 30n, 20n),
    await deposit(other, sender, 2n ** 100n, 2n ** 99n),
  ];
  expect(statuses).toEqual(["0x1", "0x1", "0x1", "0x0", "0x1"]);
  const cwd = workplace();
  const last = await anvil().blockNumber();
  const { code, err } = await graphloom(
    cwd,
    `data sync --chains anvil --to ${last} --rpc ${anvil().url} --data platform`,
  );
  expect([code, err]).toEqual([0, expect.not.stringContaining("stopped")]);
  const database = await openDatabase(join(cwd, "platform", "database"), createNodeWorld());
  onTestFinished(() => database.close());
  const service = createDataService({
    store: createPostgresStore(database, 10_000),
    key: dataKey,
    now: Date.now,
  });
  for (const wallet of [sender, other]) {
    const rows: Readonly<Record<string, string>>[] = [];
    for (let page: string | undefined, next = true; next; next = page !== undefined && page !== null) {
      const { body } = await ask(service, "/feeds/wallets/transfers", {
        address: wallet,
        chains: "anvil",
        transfer_type: "native",
        page_size: 1,
        ...(page && { page_token: page }),
      });
      rows.push(...body.data);
      page = body.pagination.next_page_token;
    }
    const sum = rows.reduce(
      (total, { direction, amount_raw: amount = "0" }) =>
        total + (direction === "in" ? 1n : -1n) * BigInt(amount),
      0n,
    );
    expect([wallet, sum]).toEqual([
      wallet,
      BigInt(await anvil().rpc<string>("eth_getBalance", wallet, "latest")),
    ]);
    const made = rows.filter(({ from_address: from }) => from === `0x${"0".repeat(40)}`);
    expect(made.map(({ amount_raw: amount, to_address: to }) => [amount, to])).toEqual(
      wallet === sender
        ? ["30", "500", "1000"].map((amount) => [amount, wallet])
        : [[`${2n ** 100n}`, wallet]],
    );
    expect(made.every(({ direction }) => direction === "in")).toBe(true);
  }
  const flow = `
name: deposits
job: true
sources:
  sent: { type: dataset, dataset_name: anvil.raw_transactions, version: 1.1.0, start_at: ${before + 1}, end_block: ${last} }
transforms:
  made: { type: sql, primary_key: id, sql: "SELECT id, mint, source_hash FROM sent" }
sinks:
  shown: { type: print, from: made }
`;
  const ran = await graphloom(
    workplace({ "flow.yaml": flow }),
    `pipeline run flow.yaml --rpc anvil=${anvil().url}`,
  );
  expect(ran.code, ran.err).toBe(0);
  for (const mint of [1_000n, 500n, 30n, 2n ** 100n]) expect(ran.out).toContain(`${mint}`);
  expect(ran.out).toContain("5".repeat(64));
});
