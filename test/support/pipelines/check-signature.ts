import { createHash, createHmac } from "node:crypto";
import type { RecordedRequest } from "./recording-server.js";

/**
 * Whether a request has the signature (AWS, version 4) that a secret key makes.
 * @param scope the service and the region that it must be for
 */
export function isSigned(
  { method, path, headers, body }: RecordedRequest,
  secretKey: string,
  scope: { readonly service: string; readonly region: string },
): boolean {
  const [, key, signed = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? "",
    ) ?? [];
  const [, day = "", region = "", service = ""] =
    /^[^/]+\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request$/.exec(key ?? "") ?? [];
  if (region !== scope.region || service !== scope.service) return false;
  const names = signed.split(";");
  if (!["host", "x-amz-date", "x-amz-target"].every((name) => names.includes(name))) return false;
  const canonical = [
    method,
    path,
    "",
    ...names.map((name) => `${name}:${String(headers[name]).trim()}`),
    "",
    signed,
    sha256(body),
  ].join("\n");
  const text = [
    "AWS4-HMAC-SHA256",
    headers["x-amz-date"],
    `${day}/${region}/${service}/aws4_request`,
    sha256(canonical),
  ].join("\n");
  const signingKey = [day, region, service, "aws4_request"].reduce(
    (own: string | Buffer, part) => createHmac("sha256", own).update(part).digest(),
    `AWS4${secretKey}`,
  );
  return createHmac("sha256", signingKey).update(text).digest("hex") === signature;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
