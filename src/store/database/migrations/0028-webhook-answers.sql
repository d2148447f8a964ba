-- The beginning of what the receiver answered to the last attempt of an event.
alter table graphloom.webhook_events add answer_body text;

-- How many attempts of a webhook ended how, by hour. The events themselves are kept for a short time only.
create table graphloom.webhook_outcomes (
  webhook text not null references graphloom.webhooks on delete cascade,
  hour timestamptz not null,
  delivered bigint not null default 0,
  retried bigint not null default 0,
  failed bigint not null default 0,
  primary key (webhook, hour)
);
