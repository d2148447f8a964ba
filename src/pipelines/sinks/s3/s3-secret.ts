import type { ServerTls } from "../../../base/server-tls.js";
import { isRecord, parseJson } from "../../../base/text/json-value.js";
import { SinkError } from "../../state/sink-error.js";
import { readServerTls } from "../read-server-tls.js";

/** What requests to a bucket are signed with. */
export interface S3Key {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly region?: string;
  /** How to check the certificate of the service; fully by default. */
  readonly tls?: ServerTls;
}

/**
 * Reads the value of a secret of the type s3: its JSON, or `<access key>:<secret access key>[:<session token>]`.
 * @returns `undefined` for another value
 */
export function readS3Key(secret: string): S3Key | undefined {
  const [, id, key, token] = /^([^\s:{]+):([^\s:]+)(?::(\S+))?$/.exec(secret.trim()) ?? [];
  if (id !== undefined && key !== undefined)
    return { accessKeyId: id, secretAccessKey: key, ...(token !== undefined && { sessionToken: token }) };
  const value = parseJson(secret);
  if (!isRecord(value)) return undefined;
  const { accessKeyId, secretAccessKey, sessionToken, region } = value;
  if (typeof accessKeyId !== "string" || typeof secretAccessKey !== "string") return undefined;
  return {
    accessKeyId,
    secretAccessKey,
    ...(typeof sessionToken === "string" && { sessionToken }),
    ...(typeof region === "string" && { region }),
    tls: readServerTls(value, (what) => {
      throw new SinkError(`The secret of the S3 service is not valid: ${what}.`, false);
    }),
  };
}
