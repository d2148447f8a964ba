import multipart, { type Multipart } from "@fastify/multipart";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { operationOf } from "../../api/api-document.js";
import { present } from "../../base/invariant.js";
import { bundleLimits } from "../../subgraph/unzip-bundle.js";
import { fieldErrors } from "../http/field-errors.js";
import { judgeOf } from "../http/judges.js";
import { unkeepable } from "../http/limits/json-bodies.js";
import { type FieldError, Problem } from "../problem.js";
import type { WantedVersion } from "../subgraphs/deploy-subgraph.js";
import type { EntryName } from "../subgraphs/find-subgraph.js";
import { deployFormExtension } from "./deploy-extension.js";

/** The content of a deployment's form. */
export interface ReceivedForm extends Omit<WantedVersion, "build"> {
  /** Zip of the build. */
  readonly bundle: Uint8Array;
}

/** The most bytes in a text field, above the longest description. */
const longestText = 10_000;
/** Block numbers must fit into a database integer. */
const lastBlock = 2_147_483_647;

const formSchema = { $ref: present(operationOf("deploySubgraph").body, "a deployment has a form").schema };

/** Makes the routes of a scope accept forms. */
export async function acceptForms(app: FastifyInstance): Promise<void> {
  await app.register(multipart, {
    limits: { fileSize: bundleLimits.compressed, files: 2, fields: 20, fieldSize: longestText, parts: 22 },
    throwFileSizeLimit: false,
  });
}

/**
 * Reads the form of a deployment, its parts in any order.
 * @throws Problem for a form that does not fit the contract, or is too large
 */
export async function readDeployForm(request: FastifyRequest): Promise<ReceivedForm> {
  if (!request.isMultipart()) throw new Problem("unsupported-media-type", "Send multipart/form-data.");
  const fields: Record<string, string> = {};
  let bundle: Uint8Array | undefined;
  for await (const part of partsOf(request)) {
    const { fieldname } = part;
    if (Object.hasOwn(fields, fieldname) || (fieldname === "bundle" && bundle)) {
      throw refusal([{ field: fieldname, message: "is given twice" }]);
    }
    if (part.type === "file") {
      if (fieldname !== "bundle") throw refusal([{ field: fieldname, message: "must not be a file" }]);
      bundle = await part.toBuffer().catch(refuseForm);
      if (part.file.truncated) {
        const most = bundleLimits.compressed.toLocaleString("en");
        throw new Problem("too-large", `The bundle is larger than ${most} bytes.`);
      }
    } else {
      if (part.valueTruncated) throw refusal([{ field: fieldname, message: "is too long" }]);
      Object.defineProperty(fields, fieldname, { value: String(part.value), enumerable: true });
    }
  }
  return checkedForm(fields, bundle);
}

/** The parts of a form. @throws Problem when it is not a form */
async function* partsOf(request: FastifyRequest): AsyncGenerator<Multipart> {
  const parts = request.parts();
  for (;;) {
    const { done, value } = await parts.next().catch(refuseForm);
    if (done) return;
    yield value;
  }
}

/** @throws Problem for errors of the form parser, which have no class of their own; otherwise the error itself */
function refuseForm(error: unknown): never {
  if (!(error instanceof Error) || error.constructor !== Error || "code" in error) throw error;
  const { message } = error;
  throw new Problem("bad-request", `The form cannot be read: ${message}.`, {
    errors: [{ message }],
    cause: error,
  });
}

function checkedForm(fields: Readonly<Record<string, string>>, bundle: Uint8Array | undefined): ReceivedForm {
  const judge = judgeOf(formSchema);
  if (!judge(fields)) throw refusal(fieldErrors(judge.errors ?? []));
  const { start_block: start, graft_from: graftFrom, description, graph_node_shard: shard } = fields;
  const { public_endpoint_enabled: isPublic, private_endpoint_enabled: isPrivate } = fields;
  const errors: FieldError[] = [];
  const complain = (field: string, message: string): void => void errors.push({ field, message });
  if (fields.bundle !== undefined) complain("bundle", "must be a file, not a string");
  else if (!bundle) complain("bundle", "is required: a file, the zip of the build");
  if (fields.overwrite === "1") {
    complain(
      "overwrite",
      "is no longer supported: delete the version first, or deploy a new version and move a tag",
    );
  }
  for (const name of Object.keys(deployFormExtension)) {
    if (!/^[01]$/.test(fields[name] ?? "0")) complain(name, "must be 0 or 1");
  }
  if (Number(start ?? 0) > lastBlock) complain("start_block", `must be at most ${lastBlock}`);
  if (graftFrom !== undefined && !/^[^/]+\/[^/]+$/.test(graftFrom))
    complain("graft_from", "must have the form name/version");
  errors.push(...unkeepable(fields));
  if (errors.length > 0 || !bundle) throw refusal(errors);
  return {
    bundle,
    removesGraft: fields.remove_graft === "1",
    skipsGraftCheck: fields.skip_graft_validation === "1",
    ...(start !== undefined && { startBlock: Number(start) }),
    ...(graftFrom !== undefined && { graftFrom: nameAndVersion(graftFrom) }),
    ...(description !== undefined && { description }),
    ...(isPublic !== undefined && { hasPublicEndpoint: isPublic === "1" }),
    ...(isPrivate !== undefined && { hasPrivateEndpoint: isPrivate === "1" }),
    ...(shard !== undefined && shard !== "" && { shard }),
  };
}

/** @param text `name/version` */
function nameAndVersion(text: string): EntryName {
  const [name = "", version = ""] = text.split("/");
  return { name, version };
}

function refusal(errors: readonly FieldError[]): Problem {
  const names = [...new Set(errors.flatMap(({ field }) => field ?? []))].join(", ");
  return new Problem("bad-request", `The form has invalid fields: ${names}.`, { errors });
}
