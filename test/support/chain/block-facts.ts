/** What a node says about a block. */
export interface BlockFacts {
  /** Seconds since 1970. */
  readonly time: number;
  readonly happenings: readonly Happening[];
}

/** An event or a call. Everything is in lower-case hex. */
export interface Happening {
  readonly kind: "event" | "call";
  readonly transaction: string;
  readonly contract: string;
  /** The topics of an event, or the selector of a call. */
  readonly topics: readonly string[];
}

interface NodeLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly transactionHash: string;
}

interface NodeTransaction {
  readonly hash: string;
  readonly to: string | null;
  readonly input: string;
}

/** Reads blocks from a node, each once. */
export function createReadBlock(url: string): (number: number) => Promise<BlockFacts> {
  const known = new Map<number, Promise<BlockFacts>>();
  return (number) => {
    const read = known.get(number) ?? readBlock(url, number);
    known.set(number, read);
    return read;
  };
}

async function readBlock(url: string, number: number): Promise<BlockFacts> {
  const hex = `0x${number.toString(16)}`;
  const block = (await ask(url, "eth_getBlockByNumber", [hex, true])) as {
    readonly timestamp: string;
    readonly transactions: readonly NodeTransaction[];
  };
  const logs = (await ask(url, "eth_getLogs", [{ fromBlock: hex, toBlock: hex }])) as readonly NodeLog[];
  const events = logs.map(
    ({ address, topics, transactionHash }): Happening => ({
      kind: "event",
      transaction: transactionHash,
      contract: address.toLowerCase(),
      topics,
    }),
  );
  const calls = block.transactions.map(
    ({ hash, to, input }): Happening => ({
      kind: "call",
      transaction: hash,
      contract: to?.toLowerCase() ?? "",
      topics: [input.slice(0, 10)],
    }),
  );
  return { time: Number(block.timestamp), happenings: [...events, ...calls] };
}

async function ask(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = (await answer.json()) as { readonly result?: unknown; readonly error?: unknown };
  if (result === undefined || result === null) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result;
}
