import { checkHttp } from "../../plan/check-http.js";
import { sinkType } from "../sink-type.js";
import { sqsShape } from "./shape.js";

export const sqs = sinkType({
  name: "sqs_sink",
  aliases: ["sqs"],
  shape: sqsShape,
  place: "messages",
  check({ settings: { queue_url: url } }, _columns, report) {
    if (url) checkHttp({ url }, report);
    return undefined;
  },
  load: async () => ({
    open: (await import("./open-sqs.js")).openSqs,
    audit: (await import("./audit-sqs.js")).auditSqs,
    reset: (await import("./open-sqs.js")).resetSqs,
    parked: (await import("./open-sqs.js")).parkedOfSqs,
  }),
});
