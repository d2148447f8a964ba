import { describe, expect, it } from "vitest";
import { readObjectPage } from "../../../src/pipelines/sinks/s3/list-answer.js";
import { type Condition, S3Bucket } from "../../../src/pipelines/sinks/s3/s3-bucket.js";
import { cutParts } from "../../../src/pipelines/sinks/s3/s3-files.js";
import type { S3BucketOptions } from "../../../src/pipelines/sinks/s3/s3-requests.js";
import { readS3Key } from "../../../src/pipelines/sinks/s3/s3-secret.js";
import { readUploadPage } from "../../../src/pipelines/sinks/s3/upload-answers.js";
import type { OutgoingRequest } from "../../../src/web/outgoing/outgoing-request.js";

describe("a page of objects", () => {
  const page = (inside: string): string =>
    `<?xml version="1.0"?><ListBucketResult>${inside}</ListBucketResult>`;

  it("lists the keys and the token of the next page", () => {
    const contents =
      "<Contents><Size>1</Size><Key>a%20b%2B&#37;26</Key></Contents><Contents><Key>c&amp;</Key></Contents>";
    const more = "<IsTruncated>true</IsTruncated><NextContinuationToken>x&lt;&#x79;</NextContinuationToken>";
    expect(readObjectPage(page(contents + more))).toEqual({ keys: ["a b+&", "c&"], next: "x<y" });
    expect(readObjectPage(page("<IsTruncated>false</IsTruncated>"))).toEqual({ keys: [], next: undefined });
  });

  it.each([
    "",
    "<html>",
    "{}",
    page("<IsTruncated>true</IsTruncated>"),
    page("<Contents><Key>%zz</Key></Contents>"),
  ])("is rejected otherwise: %j", (text) => {
    expect(readObjectPage(text)).toBeUndefined();
  });
});

describe("a page of uploads", () => {
  const page = (inside: string): string =>
    `<ListMultipartUploadsResult>${inside}</ListMultipartUploadsResult>`;

  it("lists keys, ids and the token of the next page", () => {
    const upload =
      "<Upload><Key>a%20b&#37;26</Key><UploadId>i&amp;1</UploadId><Owner><ID>x</ID></Owner></Upload>";
    const more =
      "<IsTruncated>true</IsTruncated><NextKeyMarker>a%2B</NextKeyMarker><NextUploadIdMarker>2</NextUploadIdMarker>";
    expect(readUploadPage(page(upload + more))).toEqual({
      uploads: [{ key: "a b&", id: "i&1" }],
      next: { "key-marker": "a+", "upload-id-marker": "2" },
    });
    expect(readUploadPage(page(""))).toEqual({ uploads: [], next: undefined });
  });

  it.each([
    "",
    "<html>",
    page("<IsTruncated>true</IsTruncated>"),
    page("<Upload><Key>a</Key></Upload>"),
    page("<Upload><Key>%zz</Key><UploadId>1</UploadId></Upload>"),
  ])("is rejected otherwise: %j", (text) => {
    expect(readUploadPage(text)).toBeUndefined();
  });
});

it("the code for S3 cuts pieces of any size into parts of one size", async () => {
  const parts = async (...sizes: readonly number[]): Promise<readonly number[]> => {
    const bytes = Buffer.from(Array.from({ length: 40 }, (_, index) => index));
    let at = 0;
    const pieces = sizes.map((size) => {
      at += size;
      return bytes.subarray(at - size, at);
    });
    const cut: Uint8Array[] = [];
    for await (const part of cutParts(pieces, 4)) cut.push(part);
    expect(Buffer.concat(cut)).toEqual(bytes.subarray(0, at));
    return cut.map(({ length }) => length);
  };
  expect(await parts()).toEqual([0]);
  expect(await parts(0, 3)).toEqual([3]);
  expect(await parts(4)).toEqual([4]);
  expect(await parts(1, 2, 11, 0, 3)).toEqual([4, 4, 4, 4, 1]);
});

/** A bucket whose requests a test answers. */
function played(
  answer: (request: OutgoingRequest) => { readonly status: number; readonly body: string },
  over: Partial<S3BucketOptions> = {},
): S3Bucket {
  return new S3Bucket({
    endpoint: "https://s3.example.com/base",
    bucket: "rows",
    style: "path",
    region: "eu-west-1",
    key: { accessKeyId: "id", secretAccessKey: "secret", sessionToken: "token" },
    outgoing: {
      send: async (request) => {
        const { status, body } = answer(request);
        return { status, headers: {}, body: Buffer.from(body) };
      },
    },
    clock: { now: () => 0 },
    ...over,
  });
}

describe("a bucket", () => {
  it("is in the path or in the host of addresses, and requests carry the session's token", async () => {
    const requests: OutgoingRequest[] = [];
    const answer = (request: OutgoingRequest): { readonly status: number; readonly body: string } => {
      requests.push(request);
      return { status: 200, body: "" };
    };
    await played(answer).read("a b/c'd");
    await played(answer, { style: "virtual" }).read("a");
    expect(requests.map(({ url }) => url)).toEqual([
      "https://s3.example.com/base/rows/a%20b/c%27d",
      "https://rows.s3.example.com/base/a",
    ]);
    expect(requests[0]?.headers).toMatchObject({
      authorization: expect.stringContaining("Credential=id/19700101/eu-west-1/s3/aws4_request"),
      "x-amz-security-token": "token",
    });
  });

  it("stops reading an endless listing, and omits objects that were not requested", async () => {
    const page = (token: string): string =>
      `<ListBucketResult><Contents><Key>p/a</Key></Contents><Contents><Key>other</Key></Contents><IsTruncated>${token !== ""}</IsTruncated><NextContinuationToken>${token}</NextContinuationToken></ListBucketResult>`;
    await expect(played(() => ({ status: 200, body: page("same") })).list("p/")).rejects.toThrow(
      "The service lists objects without end.",
    );
    expect(await played(() => ({ status: 200, body: page("") })).list("p/")).toEqual(["p/a"]);
  });

  it("is written without conditions if the service does not support them", async () => {
    const conditions: unknown[] = [];
    const bucket = played(({ headers }) => {
      conditions.push(headers?.["if-none-match"]);
      return { status: headers?.["if-none-match"] === undefined ? 200 : 501, body: "" };
    });
    for (const key of ["a", "b"]) await bucket.write(key, new Uint8Array(), { kind: "absent" });
    expect(conditions).toEqual(["*", undefined, undefined]);
  });

  it("does not replace an object that another writer has changed since it was read", async () => {
    const conditions: unknown[] = [];
    const bucket = played(({ headers }) => {
      conditions.push(headers?.["if-none-match"] ?? headers?.["if-match"]);
      return { status: 412, body: "<Error><Code>PreconditionFailed</Code></Error>" };
    });
    const write = async (condition: Condition): Promise<void> =>
      expect(bucket.write("a", new Uint8Array(), condition)).rejects.toThrow("Another run writes this sink.");
    await write({ kind: "absent" });
    await write({ kind: "same", etag: '"1"' });
    expect(conditions).toEqual(["*", '"1"']);
  });

  it.each([
    [503, "<Error><Code>SlowDown</Code></Error>", true, "The S3 service answers with status 503: SlowDown"],
    [
      403,
      "<Error><Code>AccessDenied</Code><Message>no</Message></Error>",
      false,
      "status 403: AccessDenied: no",
    ],
    [301, "", false, "The bucket rows is in region unknown. Set region and endpoint to it."],
    [200, "<html>", false, "The service does not answer with a list of objects."],
  ])("explains an answer with status %i", async (status, body, isTemporary, message) => {
    await expect(played(() => ({ status, body })).list("")).rejects.toMatchObject({
      message: expect.stringContaining(message),
      isTemporary,
    });
  });
});

it("the code for S3 reads keys of S3 as text and as JSON", () => {
  expect(readS3Key("id:key")).toEqual({ accessKeyId: "id", secretAccessKey: "key" });
  expect(readS3Key("id:key:token")).toEqual({
    accessKeyId: "id",
    secretAccessKey: "key",
    sessionToken: "token",
  });
  const json = { accessKeyId: "id", secretAccessKey: "k:/+", sessionToken: "t", region: "eu-west-1" };
  expect(readS3Key(JSON.stringify({ type: "s3", ...json }))).toEqual({
    ...json,
    tls: { checks: "all" },
  });
  for (const wrong of ["", "id", "{}", '{"accessKeyId":1,"secretAccessKey":"k"}', "id:key with spaces"])
    expect(readS3Key(wrong)).toBeUndefined();
});
