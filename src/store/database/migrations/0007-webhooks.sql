-- Who is told of the changes of an entity, and where.
create table graphloom.webhooks (
  id text primary key,
  project text not null references graphloom.projects on delete cascade,
  name text not null,
  subgraph text not null,
  version text not null,
  -- The name of the entity's table.
  entity text not null,
  url text not null,
  -- Encrypted.
  secret bytea not null,
  retries integer not null,
  -- Seconds.
  retry_interval integer not null,
  -- Seconds for one attempt.
  timeout integer not null,
  is_paused boolean not null default false,
  -- Where its events go on in the feed of the entity's changes; nothing before it has begun.
  cursor text,
  -- What was there at the beginning is still to be sent.
  owes_start boolean not null,
  -- Who makes its first events, and until when they have the right to.
  holder uuid,
  held_until timestamptz,
  -- Attempts that failed one after the other, whatever the event.
  failures integer not null default 0,
  -- While its receiver is down, nothing is sent before.
  rests_until timestamptz,
  created_at timestamptz not null default now(),
  unique (project, name),
  foreign key (project, subgraph, version) references graphloom.versions (project, name, version)
);
create index on graphloom.webhooks (project, subgraph, version);

-- What webhooks tell of rows, in the order in which it happened: the outbox. Written with the cursor.
create table graphloom.webhook_events (
  seq bigint generated always as identity primary key,
  webhook text not null references graphloom.webhooks on delete cascade,
  -- The same whenever it is made again.
  id uuid not null,
  op text not null check (op in ('INSERT', 'UPDATE', 'DELETE')),
  block integer not null,
  -- A hash of the entity's id: events of one entity are sent one after the other.
  entity_key bigint not null,
  -- Rows as they are sent.
  old json,
  new json,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  -- Attempts that have ended.
  attempts integer not null default 0,
  -- When it can be sent; while somebody sends it, when others may think that they have died.
  due_at timestamptz not null default now(),
  -- Who sends it.
  lease uuid,
  attempted_at timestamptz,
  -- The status of the last answer; nothing when there was none.
  answer_status integer,
  error text,
  -- Of the last attempt, in milliseconds.
  duration integer,
  created_at timestamptz not null default now(),
  unique (webhook, id)
);
create index on graphloom.webhook_events (webhook, seq) where status = 'pending';
create index on graphloom.webhook_events (webhook, entity_key, seq) where status = 'pending';
create index on graphloom.webhook_events (webhook, status, seq);
