import { plainSignature } from "../../compiler/abi/abi.js";
import { selectEntries } from "../../compiler/scaffold/select-entries.js";
import { splitList } from "../../compiler/scaffold/split-list.js";
import { type ProposedRead, proposeReads } from "../../discovery/propose-reads.js";
import type { ContractAbi } from "../../discovery/read-abi.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import type { Answers } from "./answers.js";
import type { GuideArguments } from "./guide-arguments.js";

/** The parts of a contract to index. */
export interface ChosenContent {
  /** The kept entries of its ABI; all of them unless events were left out. */
  readonly entries: readonly unknown[];
  readonly isWhole: boolean;
  readonly reads: readonly ProposedRead[];
}

/**
 * Chooses the events, by default all, and the contract reads that go with them, by default none.
 * @throws UsageError for an option that names something unknown
 */
export async function chooseContent(
  args: GuideArguments,
  { abi, entries }: ContractAbi,
  answers: Answers,
): Promise<ChosenContent> {
  const signatures = abi.events.filter(({ anonymous }) => !anonymous).map(plainSignature);
  const choices = [...new Set(signatures)].map((value) => ({ value, label: value }));
  const given = args.contractEvents === undefined ? undefined : splitList(args.contractEvents);
  const chosen =
    given ??
    (await answers.chooseSome("Which events?", choices, {
      chosen: choices.map(({ value }) => value),
      atLeastOne: args.callHandlers !== true,
    }));
  const isWhole = given === undefined && chosen.length === choices.length;
  const selected = isWhole ? undefined : selectEntries([abi], { events: chosen, calls: undefined });
  if (selected?.kind === "usage") throw new UsageError(selected.message);
  const unwanted = selected?.entries[0] ?? new Set<number>();
  const kept = { ...abi, events: abi.events.filter(({ index }) => !unwanted.has(index)) };
  return {
    entries: entries.filter((_, index) => !unwanted.has(index)),
    isWhole: unwanted.size === 0,
    // Proposals are made from the kept events only: an event that was left out must not occupy a name.
    reads: await chooseReads(args.reads, proposeReads(kept), answers),
  };
}

async function chooseReads(
  given: string | undefined,
  proposed: readonly ProposedRead[],
  answers: Answers,
): Promise<readonly ProposedRead[]> {
  if (given === "all") return proposed;
  if (given === "none") return [];
  const wanted = given === undefined ? await askForReads(proposed, answers) : splitList(given);
  const unknown = wanted.find((id) => !proposed.some((read) => read.id === id));
  if (unknown !== undefined) {
    const known = proposed.map(({ id }) => id).slice(0, 8);
    throw new UsageError(
      `--reads: ${unknown} is not a suggested read; ${known.length === 0 ? "there are none" : `suggestions include ${known.join(", ")}`}.`,
    );
  }
  return proposed.filter(({ id }) => wanted.includes(id));
}

function askForReads(proposed: readonly ProposedRead[], answers: Answers): Promise<readonly string[]> {
  const choices = proposed.map(({ id, entity, function: name, parameter, type }) => ({
    value: id,
    label: `with ${entity}: ${name}(${parameter})`,
    hint: `field ${name} of type ${type}`,
  }));
  return answers.chooseSome("Which values should each event also read from the contract?", choices, {
    chosen: [],
    atLeastOne: false,
  });
}
