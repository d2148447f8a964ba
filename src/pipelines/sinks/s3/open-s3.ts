import { isWebAddress } from "../../../web/http/address.js";
import { SinkError } from "../../state/sink-error.js";
import { auditFolder } from "../file/audit-file.js";
import { type FileSinkOptions, openFileSink } from "../file/file-sink.js";
import { filesOf } from "../file/open-file.js";
import type { AuditedFiles } from "../file/window-files.js";
import { type PlannedSinkOf, type SinkOwner, type SinkWorld, secretOf } from "../opening.js";
import type { SinkAccess } from "../sink-type.js";
import { S3Bucket } from "./s3-bucket.js";
import { S3Files } from "./s3-files.js";
import { readS3Key } from "./s3-secret.js";
import type { S3Shape } from "./shape.js";

/** How a bucket is reached. */
export const s3Access: Pick<Required<SinkAccess<S3Shape>>, "open" | "audit"> = {
  open: async (planned, owner, world) => openFileSink(prefixOptions(planned, owner, world)),
  audit: async (planned, owner, world, options, work) =>
    auditFolder({ ...prefixOptions(planned, owner, world), key: planned.schema.key }, options, work),
};

/** What a sink of objects writes, and where. @throws SinkError */
function prefixOptions(
  { name, definition: { settings }, schema }: PlannedSinkOf<S3Shape>,
  { flow, sources, lineage }: SinkOwner,
  world: SinkWorld,
): FileSinkOptions & { readonly files: AuditedFiles } {
  const endpoint = settings.endpoint?.value ?? "";
  if (!isWebAddress(endpoint))
    throw new SinkError("endpoint is not an address. Write the URL of the S3 service.", false);
  const secret = settings.secret_name?.value ?? "";
  const key = readS3Key(secretOf(secret, world));
  if (!key)
    throw new SinkError(
      `Secret ${secret} is not a key of S3. Its value looks like <access key>:<secret access key>, or {"type": "s3", "accessKeyId": "…", "secretAccessKey": "…", "region": "eu-west-1"}.`,
      false,
    );
  const bucket = new S3Bucket({
    endpoint,
    bucket: settings.bucket?.value ?? "",
    style: settings.address_style?.value === "virtual" ? "virtual" : "path",
    region: settings.region?.value ?? key.region ?? "us-east-1",
    key,
    outgoing: world.outgoing,
    clock: world.clock,
  });
  const prefix = settings.prefix?.value ?? "";
  return {
    files: new S3Files(bucket, prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`),
    place: { name: "prefix", setting: "prefix" },
    flow,
    sink: name,
    sources,
    lineage,
    began: world.clock.now(),
    columns: schema.columns,
    ...filesOf(settings, schema.columns),
  };
}
