import type { GraphNodeProofs } from "../../deploy/graph-node/proofs.js";
import type { Doors } from "./doors.js";
import type { Absence } from "./mirror.js";

/**
 * A graph-node's proofs for people who must not see its addresses.
 * @param absenceOf returns since when it has not answered, and why; it gets no request then
 */
export function toldProofs(
  { proofs, whyOf }: Pick<Doors, "proofs" | "whyOf">,
  absenceOf: () => Absence | undefined,
): GraphNodeProofs {
  const ask = async <Told>(question: () => Promise<Told>): Promise<Told> => {
    const absence = absenceOf();
    if (absence) throw new Error(`graph-node does not answer: ${absence.why}`);
    try {
      return await question();
    } catch (error) {
      throw new Error(whyOf(error), { cause: error });
    }
  };
  return {
    proof: (of, hash, indexer) => ask(() => proofs.proof(of, hash, indexer)),
    publicProofs: (of) => ask(() => proofs.publicProofs(of)),
    blockHash: (network, block) => ask(() => proofs.blockHash(network, block)),
  };
}
