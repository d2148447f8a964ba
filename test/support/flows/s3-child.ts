import { writeFinal } from "./final-rounds.js";
import { openedS3, testBucket, testOutgoing } from "./opened-s3.js";
import { playedRounds } from "./played-rounds.js";

// A process that writes the final blocks of some rounds into a bucket, for tests that kill it.
const [url = "", bucket = "", keyId = "", secret = "", rounds = ""] = process.argv.slice(2);
const sink = await openedS3(testBucket({ url, bucket, keyId, secret }));
process.send?.("writing");
await writeFinal(playedRounds(Number(rounds)), sink);
await sink.close();
testOutgoing.close();
process.disconnect?.();
