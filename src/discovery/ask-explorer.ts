import { foreignText } from "../base/text/foreign-text.js";
import { isRecord, parseJson } from "../base/text/json-value.js";
import type { World } from "../base/world.js";
import { redact } from "../web/http/address.js";
import { HttpError } from "../web/http/http-error.js";
import { send } from "../web/http/send.js";
import { type ContractAbi, readAbi } from "./read-abi.js";
import { isAddress, isName } from "./record-values.js";

/** An explorer's API that is compatible with Etherscan's. */
export interface Explorer {
  /** URL of the API, such as `https://api.etherscan.io/v2/api`. */
  readonly url: string;
  /** API key; never shown. */
  readonly key: string | undefined;
  /** In decimal digits. One API serves many chains. */
  readonly chainId: string | undefined;
}

/** An explorer's data about a contract. */
export interface ExplorerContract {
  readonly kind: "contract";
  readonly name: string | undefined;
  readonly abi: ContractAbi;
  /** Address of the implementation, if the contract is a proxy. */
  readonly implementation: string | undefined;
}

/** No useful answer, and why. The reason contains no secrets and is safe to show. */
export interface NoAnswer {
  readonly kind: "none";
  readonly why: string;
}

/** Limits of a response, which may be large because it also contains the sources. */
const limits = { timeout: 20_000, answerTime: 60_000, maxAnswer: 32 * 1_048_576 };

/** Asks for a contract's ABI and for the implementation that it is a proxy for. */
export async function askExplorer(
  explorer: Explorer,
  address: string,
  world: World,
): Promise<ExplorerContract | NoAnswer> {
  const answer = await ask(explorer, { action: "getsourcecode", address }, world);
  if (answer.kind === "none") return answer;
  const [entry] = answer.result;
  if (!isRecord(entry)) return none("it does not know the contract");
  const text = typeof entry.ABI === "string" ? entry.ABI : "";
  if (!/^\s*\[/.test(text)) return none(`it has no ABI: ${foreignText(text) || "the response has none"}`);
  const abi = readAbi("the explorer's response", text);
  if (abi.kind === "none") return none(`its ABI ${foreignText(abi.why)}`);
  // Etherscan uses `Implementation`, Blockscout `ImplementationAddress`.
  const target = [entry.Implementation, entry.ImplementationAddress].find(isAddress);
  const name = isName(entry.ContractName) ? entry.ContractName : undefined;
  return { kind: "contract", name, abi, implementation: target?.toLowerCase() };
}

/** Asks for the block in which a contract was created. */
export async function askCreation(
  explorer: Explorer,
  address: string,
  world: World,
): Promise<{ readonly kind: "found"; readonly block: number } | NoAnswer> {
  const query = { action: "getcontractcreation", contractaddresses: address };
  const answer = await ask(explorer, query, world);
  if (answer.kind === "none") return answer;
  const [entry] = answer.result;
  const block = isRecord(entry) && typeof entry.blockNumber === "string" ? entry.blockNumber : "";
  return /^\d{1,10}$/.test(block)
    ? { kind: "found", block: Number(block) }
    : none("it does not say in which block the contract was created");
}

async function ask(
  { url, key, chainId }: Explorer,
  query: Readonly<Record<string, string>>,
  world: World,
): Promise<{ readonly kind: "result"; readonly result: readonly unknown[] } | NoAnswer> {
  const asked = new URL(url);
  const all = { ...(chainId !== undefined && { chainid: chainId }), module: "contract", ...query };
  for (const [name, value] of Object.entries(all)) asked.searchParams.set(name, value);
  if (key !== undefined) asked.searchParams.set("apikey", key);
  // The key unchanged, and in the two forms that it takes in URLs.
  const secrets =
    key === undefined
      ? []
      : [key, encodeURIComponent(key), new URLSearchParams([["", key]]).toString().slice(1)];
  const clean = (text: string): string => foreignText(redact(text, secrets));
  try {
    const { status, text } = await send({ method: "GET", url: asked.href, retry: true }, world, limits);
    const answer = parseJson(text);
    if (!isRecord(answer)) return none(`status ${status} without JSON`);
    if (Array.isArray(answer.result)) return { kind: "result", result: answer.result };
    // A refusal has a text in place of the list.
    const said = [answer.result, answer.message].find((one) => typeof one === "string" && one !== "");
    return none(`it refused: ${said === undefined ? `status ${status}` : clean(String(said))}`);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    if (error.kind === "interrupted") throw error;
    return none(clean(error.message));
  }
}

function none(why: string): NoAnswer {
  return { kind: "none", why };
}
