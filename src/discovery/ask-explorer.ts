import { foreignText } from "../base/foreign-text.js";
import { isRecord, parseJson } from "../base/json-value.js";
import type { World } from "../base/world.js";
import { redact } from "../web/http/address.js";
import { HttpError } from "../web/http/http-error.js";
import { send } from "../web/http/send.js";
import { type ContractAbi, readAbi } from "./read-abi.js";
import { isAddress, isName } from "./record-values.js";

/** An explorer's API that answers as Etherscan's does. */
export interface Explorer {
  /** Such as `https://api.etherscan.io/v2/api`; a web address. */
  readonly url: string;
  /** Never shown. */
  readonly key: string | undefined;
  /** In decimal digits; one API answers for many chains. */
  readonly chainId: string | undefined;
}

/** What an explorer knows of a contract. */
export interface ExplorerContract {
  readonly kind: "contract";
  readonly name: string | undefined;
  readonly abi: ContractAbi;
  /** Where it is a proxy. */
  readonly implementation: string | undefined;
}

/** Nothing of use, and why; without secrets, and safe to show. */
export interface NoAnswer {
  readonly kind: "none";
  readonly why: string;
}

/** An answer holds the sources, too, which are large. */
const limits = { timeout: 20_000, answerTime: 60_000, maxAnswer: 32 * 1_048_576 };

/** Asks for a contract's ABI and for what it is a proxy of. */
export async function askExplorer(
  explorer: Explorer,
  address: string,
  world: World,
): Promise<ExplorerContract | NoAnswer> {
  const answer = await ask(explorer, { action: "getsourcecode", address }, world);
  if (answer.kind === "none") return answer;
  const [entry] = answer.result;
  if (!isRecord(entry)) return none("it knows nothing of the contract");
  const text = typeof entry.ABI === "string" ? entry.ABI : "";
  if (!/^\s*\[/.test(text)) return none(`it has no ABI: ${foreignText(text) || "the answer has none"}`);
  const abi = readAbi("the explorer's answer", text);
  if (abi.kind === "none") return none(`its ABI ${foreignText(abi.why)}`);
  // Etherscan says `Implementation`, Blockscout `ImplementationAddress`.
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
    : none("it does not say the block of the creation");
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
  // As it is, and in the two forms that addresses have of it.
  const secrets =
    key === undefined
      ? []
      : [key, encodeURIComponent(key), new URLSearchParams([["", key]]).toString().slice(1)];
  const clean = (text: string): string => foreignText(redact(text, secrets));
  try {
    const { status, text } = await send({ method: "GET", url: asked.href, retry: true }, world, limits);
    const answer = parseJson(text);
    if (!isRecord(answer)) return none(`status ${status}, and no JSON`);
    if (Array.isArray(answer.result)) return { kind: "result", result: answer.result };
    // Refusals are a text in place of the list.
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
