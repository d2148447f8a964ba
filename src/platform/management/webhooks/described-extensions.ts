import { dataOf, type Extension, listOf, objectOf, type Schema, textSchema } from "../../../api/extension.js";
import { deliveryStatuses } from "../../webhooks/outbox.js";

/** The descriptions of the webhook extensions in the OpenAPI document. */

const number: Schema = { type: "number" };
const orNull = (type: string, format?: string): Schema => ({
  type: [type, "null"],
  ...(format !== undefined && { format }),
});
const time = orNull("string", "date-time");

const state: Schema = dataOf({
  allOf: [
    { $ref: "#/components/schemas/Webhook" },
    objectOf({
      num_retries: number,
      retry_interval_seconds: number,
      retry_timeout_seconds: number,
      status: { type: "string", enum: ["ACTIVE", "PAUSED", "RECEIVER_DOWN"] },
      failures_in_a_row: number,
      next_attempt_at: time,
    }),
  ],
});

const deliveryFields: Readonly<Record<string, Schema>> = {
  id: textSchema(),
  op: textSchema(),
  entity: textSchema(),
  entity_id: orNull("string"),
  vid: orNull("string"),
  block: number,
  status: { type: "string", enum: deliveryStatuses },
  attempts: number,
  max_retries: number,
  response_status: orNull("number"),
  error: orNull("string"),
  duration_ms: orNull("number"),
  created_at: { type: "string", format: "date-time" },
  attempted_at: time,
  next_attempt_at: time,
};
const delivery: Schema = objectOf(deliveryFields);

const base = "/extensions/webhooks";

export const describedRead: Extension = {
  method: "GET",
  path: `${base}/{name}`,
  summary: "Returns a webhook with its settings and the state of its receiver.",
  answer: state,
};
export const describedChange: Extension = {
  method: "PATCH",
  path: `${base}/{name}`,
  summary: "Changes the URL, the secret, the retries or the timeout of a webhook.",
  body: {
    ...objectOf({
      "webhook_url?": textSchema("The new URL, up to 2,000 characters. It requires a secret."),
      "secret?": textSchema(
        "The secret from now on: 1 to 200 visible ASCII characters without spaces. Required with a new URL, because every request carries it.",
      ),
      "num_retries?": { type: "integer", minimum: 0, maximum: 10 },
      "retry_interval_seconds?": {
        type: "integer",
        minimum: 1,
        description: "At most 86,400.",
      },
      "retry_timeout_seconds?": { type: "integer", minimum: 1, description: "At most 300." },
    }),
    additionalProperties: false,
  },
  answer: state,
};
export const describedPause: Extension = {
  method: "PUT",
  path: `${base}/{name}/pause`,
  summary: "Pauses the deliveries of a webhook.",
  answer: state,
};
export const describedResume: Extension = {
  method: "PUT",
  path: `${base}/{name}/resume`,
  summary: "Resumes the deliveries of a webhook, waiting ones included.",
  answer: state,
};
export const describedDeliveries: Extension = {
  method: "GET",
  path: `${base}/{name}/deliveries`,
  summary: "Lists the last deliveries of a webhook, newest first.",
  query: {
    status: { type: "string", enum: deliveryStatuses },
    page_size: { type: "integer", minimum: 1, maximum: 200, default: 50 },
    page_token: { ...textSchema("The next_page_token of the previous page."), pattern: "^[0-9]{1,18}$" },
  },
  answer: objectOf({
    data: listOf(delivery),
    pagination: objectOf({ next_page_token: orNull("string"), page_size: number }),
  }),
};
export const describedDelivery: Extension = {
  method: "GET",
  path: `${base}/{name}/deliveries/{id}`,
  summary:
    "Returns a delivery with the rows that it carries and the beginning of the receiver's last answer.",
  answer: dataOf(
    objectOf({
      ...deliveryFields,
      old: orNull("object"),
      new: orNull("object"),
      response_body: orNull("string"),
    }),
  ),
};
export const describedRedeliveryOfFailed: Extension = {
  method: "POST",
  path: `${base}/{name}/redeliver-failed`,
  summary: "Sends all failed events of a webhook again.",
  answer: dataOf(objectOf({ events: { type: "integer" } })),
};
export const describedRedelivery: Extension = {
  method: "POST",
  path: `${base}/deliveries/{id}/redeliver`,
  summary: "Sends an event again.",
  answer: dataOf(objectOf({ id: textSchema(), status: { type: "string", enum: ["pending"] } })),
};
