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
  load: async () => (await import("./open-sqs.js")).sqsAccess,
});
