import type { Part } from "../web/http/http-request.js";
import type { Progress } from "./call-route.js";
import type { DeployForm, Subgraph } from "./contract.js";

export interface DeployInput {
  readonly bundle: Uint8Array;
  /** First block to index; together with `graftFrom` also the block to graft at. */
  readonly startBlock?: number | undefined;
  /** `name/version` of a subgraph of the same project. */
  readonly graftFrom?: string | undefined;
  /** Drops the manifest's graft. */
  readonly removeGraft?: boolean | undefined;
  readonly skipGraftValidation?: boolean | undefined;
  readonly description?: string | undefined;
  /** Deploys with a private endpoint and without a public one. Not all servers can. */
  readonly isPrivate?: boolean | undefined;
  readonly onProgress?: Progress | undefined;
}

export interface DeployedSubgraph extends Subgraph {
  /** What it was grafted onto, by deployment id, and the last block copied. Not all servers return it. */
  readonly graft?: { readonly base: string; readonly block: number };
  /** The address of its page on the dashboard. Not all servers return it. */
  readonly page_url?: string;
  /** The parts of the build that will fail or have no effect, and when. Not all servers return it. */
  readonly warnings?: readonly string[];
}

/** A version, and what deleting it does to other subgraphs. Not all servers return it. */
export interface WarnedSubgraph extends Subgraph {
  readonly deletion_warnings?: readonly string[];
}

/** Additions of our own servers to the contract. */
type Switch = "public_endpoint_enabled" | "private_endpoint_enabled";

type FormTexts = { readonly [Name in keyof DeployForm]: string | false | undefined } & {
  readonly [Name in Switch]: string | false;
};

/** The form fields of a deployment, text fields first. Leaves out fields that are not set. */
export function deployForm(input: DeployInput): readonly Part[] {
  const texts: Omit<FormTexts, "bundle"> = {
    remove_graft: input.removeGraft === true && "1",
    skip_graft_validation: input.skipGraftValidation === true && "1",
    start_block: input.startBlock?.toString(),
    graft_from: input.graftFrom,
    description: input.description,
    public_endpoint_enabled: input.isPrivate === true && "0",
    private_endpoint_enabled: input.isPrivate === true && "1",
  };
  const parts = Object.entries(texts).flatMap(([name, value]) =>
    typeof value === "string" ? [{ name, value }] : [],
  );
  const name: keyof DeployForm = "bundle";
  return [...parts, { name, filename: "bundle.zip", contentType: "application/zip", bytes: input.bundle }];
}
