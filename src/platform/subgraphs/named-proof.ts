import type { Database } from "../../store/database/database.js";
import { type Deployment, findBlockHash, findDeployment } from "../../store/deployments/deployments.js";
import { storedProof } from "../../store/deployments/stored-proof.js";
import { buildsNamed } from "./named-builds.js";

/** A proof of indexing to compute from a database. */
export interface NamedProofRequest {
  /** The id of a deployment, or a name. */
  readonly subgraph: string;
  /** With a name: a version or a tag; absent for any. */
  readonly version?: string | undefined;
  /** The last indexed block by default. */
  readonly block?: number | undefined;
  /** The block's hash, 0x and hex digits; by default the one that the database knows. */
  readonly hash?: string | undefined;
  /** 0x and 40 hex digits; none by default. */
  readonly indexer?: string | undefined;
}

/** The proof, or why there is none. */
export type NamedProof =
  | {
      readonly kind: "proof";
      readonly deployment: string;
      readonly block: number;
      readonly hash: string;
      /** 0x and 64 hex digits. */
      readonly proof: string;
    }
  | { readonly kind: "unknown-subgraph" }
  | { readonly kind: "several"; readonly deployments: readonly string[] }
  | { readonly kind: "no-block"; readonly deployment: string }
  | { readonly kind: "unknown-hash"; readonly block: number }
  | { readonly kind: "no-proofs"; readonly deployment: string }
  | {
      readonly kind: "not-reached";
      readonly deployment: string;
      readonly block: number;
      readonly head: number;
    };

/** The proof of indexing of a deployment in a database. @throws DatabaseError */
export async function namedProof(database: Database, request: NamedProofRequest): Promise<NamedProof> {
  const found = await deploymentsOf(database, request);
  const [deployment, other] = found;
  if (!deployment) return { kind: "unknown-subgraph" };
  if (other) return { kind: "several", deployments: found.map((one) => one.deployment) };
  const { deployment: id, network, head } = deployment;
  if (!head) return { kind: "no-block", deployment: id };
  if (!deployment.proofVariant) return { kind: "no-proofs", deployment: id };
  const { block = head.number, indexer } = request;
  const known = block === head.number ? head.hash : undefined;
  const hash = request.hash ?? known ?? (await findBlockHash(database, network, block));
  if (hash === undefined) return { kind: "unknown-hash", block };
  const proof = await storedProof(database, {
    deployment: id,
    block,
    blockHash: bytesOf(hash),
    indexer: indexer === undefined ? undefined : bytesOf(indexer),
  });
  return proof === undefined
    ? { kind: "not-reached", deployment: id, block, head: head.number }
    : { kind: "proof", deployment: id, block, hash, proof };
}

async function deploymentsOf(
  database: Database,
  { subgraph, version }: NamedProofRequest,
): Promise<readonly Deployment[]> {
  const own = version === undefined ? await findDeployment(database, subgraph) : undefined;
  if (own) return [own];
  const builds = await buildsNamed(database, subgraph);
  const named = builds.filter((build) => version === undefined || build.version === version);
  const found: Deployment[] = [];
  for (const id of new Set(named.map(({ deployment }) => deployment))) {
    const deployment = await findDeployment(database, id);
    if (deployment) found.push(deployment);
  }
  return found;
}

function bytesOf(hex: string): Uint8Array {
  return Buffer.from(hex.replace(/^0x/, ""), "hex");
}
