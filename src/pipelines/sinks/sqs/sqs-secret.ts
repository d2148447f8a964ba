import { isRecord, parseJson } from "../../../base/text/json-value.js";

/** Who signs requests to a queue. */
export interface SqsKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly region?: string | undefined;
}

/**
 * The key of a secret.
 * @param secret the JSON of a secret of the type sqs, or `<access key>:<secret access key>[:<session token>]`
 * @returns `undefined` for another value
 */
export function readSqsKey(secret: string): SqsKey | undefined {
  const json = parseJson(secret);
  if (isRecord(json)) {
    const { accessKey, secretAccessKey, sessionToken, region } = json;
    if (typeof accessKey !== "string" || typeof secretAccessKey !== "string") return undefined;
    return {
      accessKeyId: accessKey,
      secretAccessKey,
      ...(typeof sessionToken === "string" && { sessionToken }),
      ...(typeof region === "string" && { region }),
    };
  }
  const [, accessKeyId, secretAccessKey, sessionToken] =
    /^([^:\s]+):([^:\s]+)(?::(\S+))?$/.exec(secret.trim()) ?? [];
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
}

/** The region in the address of a queue: `https://sqs.eu-west-1.amazonaws.com/…`. */
export function regionOf(queueUrl: string): string | undefined {
  return /^https:\/\/(?:sqs\.([a-z0-9-]+)\.|([a-z0-9-]+)\.queue\.)amazonaws\.com(?:\.cn)?\//
    .exec(queueUrl)
    ?.slice(1)
    .find(Boolean);
}
