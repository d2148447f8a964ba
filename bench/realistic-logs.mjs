// Transfers of tokens that look like those of a public chain: many accounts, of which few are in most transfers; amounts
// from dust to millions, of which a third are round; some transfers in a transaction. The same block has the same ones.

const accounts = 500_000;
const tokens = 3_000;
const transactionsPerBlock = 80;

export const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** Random numbers of 32 bits that follow from a seed. */
function randoms(seed) {
  let state = (seed * 2_654_435_761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/** So many random words of 32 bits, in hex. */
function hexWords(random, words) {
  let hex = "";
  for (let word = 0; word < words; word++) hex += random().toString(16).padStart(8, "0");
  return hex;
}

const ofAccounts = randoms(1);
const accountTopics = Array.from({ length: accounts }, () => `0x${"0".repeat(24)}${hexWords(ofAccounts, 5)}`);
const tokenAddresses = Array.from({ length: tokens }, () => `0x${hexWords(ofAccounts, 5)}`);

/** One of a list, of which the first are picked far more often. */
const favoured = (list, random) => list[Math.floor(list.length ** (random() / 2 ** 32)) - 1] ?? list[0];
const any = (list, random) => list[random() % list.length];
const accountOf = (random) => (random() % 2 === 0 ? favoured : any)(accountTopics, random);

function amountOf(random) {
  const decimals = random() % 2 === 0 ? 6 : 18;
  const wholes = BigInt(Math.floor(10 ** ((random() / 2 ** 32) * 6)));
  const fraction = random() % 3 === 0 ? 0n : (BigInt(random()) << 32n) + BigInt(random());
  const unit = 10n ** BigInt(decimals);
  return wholes * unit + (fraction % unit);
}

export const blockHash = (number) => `0x${hexWords(randoms(number * 2 + 3), 8)}`;

/** The transactions of a block: the hash and sender of each, and its transfers. */
export function transactionsOf(number) {
  const random = randoms(number * 2 + 4);
  let logIndex = 0;
  return Array.from({ length: transactionsPerBlock }, (_, index) => {
    const from = accountOf(random);
    const hash = `0x${hexWords(random, 8)}`;
    const logs = Array.from({ length: 1 + (random() % 4) }, () => ({
      address: favoured(tokenAddresses, random),
      topics: [transferTopic, random() % 2 === 0 ? from : accountOf(random), accountOf(random)],
      data: `0x${amountOf(random).toString(16).padStart(64, "0")}`,
      logIndex: logIndex++,
    }));
    return { hash, index, from: `0x${from.slice(26)}`, logs };
  });
}
