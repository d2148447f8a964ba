import { createNodeWorld } from "../../../src/machine/world.js";
import { openFileSink } from "../../../src/pipelines/sinks/file/file-sink.js";
import { S3Bucket } from "../../../src/pipelines/sinks/s3/s3-bucket.js";
import { S3Files } from "../../../src/pipelines/sinks/s3/s3-files.js";
import type { S3BucketOptions } from "../../../src/pipelines/sinks/s3/s3-requests.js";
import type { Sink } from "../../../src/pipelines/sinks/sink.js";
import { createOutgoing, type Outgoing } from "../../../src/web/outgoing/outgoing.js";
import { playedSchema } from "./played-rounds.js";

const world = createNodeWorld();

/** A bucket of a test's server. */
export interface TestBucket {
  readonly url: string;
  readonly bucket: string;
  readonly keyId: string;
  readonly secret: string;
}

/** How requests of tests are sent. */
export const testOutgoing: Outgoing = createOutgoing({ allowsPrivate: true }, world);

/** The bucket as the product reaches it. */
export function testBucket(at: TestBucket, over: Partial<S3BucketOptions> = {}): S3Bucket {
  return new S3Bucket({
    endpoint: at.url,
    bucket: at.bucket,
    style: "path",
    region: "us-east-1",
    key: { accessKeyId: at.keyId, secretAccessKey: at.secret },
    outgoing: testOutgoing,
    clock: world,
    ...over,
  });
}

/** Opens a prefix of a bucket as a sink of played rows. @param partitions names of columns */
export function openedS3(
  bucket: S3Bucket,
  prefix = "rows of a/",
  partitions: readonly string[] = [],
  blocksPerFile = 7,
): Promise<Sink> {
  return openFileSink({
    files: new S3Files(bucket, prefix),
    place: { name: "prefix", setting: "prefix" },
    flow: "f",
    sink: "s",
    sources: ["played"],
    columns: playedSchema.columns,
    blocksPerFile,
    began: Date.now(),
    partitions,
  });
}
