import { checkHttp } from "../../plan/check-http.js";
import { sinkType } from "../sink-type.js";
import { webhookShape } from "./shape.js";

export const webhook = sinkType({
  name: "webhook",
  shape: webhookShape,
  place: "messages",
  check({ settings }, _columns, report) {
    checkHttp(settings, report);
    return undefined;
  },
  load: async () => (await import("./open-webhook.js")).webhookAccess,
});
