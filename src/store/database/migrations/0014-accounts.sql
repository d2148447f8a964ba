-- Whoever signs in to the pages has a session, also with a key: it ends with a sign-out, and with the key.
alter table graphloom.sessions
  alter column person drop not null,
  add column api_key text references graphloom.api_keys on delete cascade,
  -- The address of the network that it was begun from, as far as it is known.
  add column address text,
  -- What the browser is shown once, after a form: encrypted.
  add column sealed_notice bytea,
  add check ((person is null) <> (api_key is null));
create index on graphloom.sessions (api_key);

-- Networks that people have signed in from: guesses of strangers do not keep them out there.
create table graphloom.known_networks (
  person text not null references graphloom.users on delete cascade,
  -- An IPv4 address, or the first 64 bits of an IPv6 address.
  network text not null,
  seen_at timestamptz not null default now(),
  primary key (person, network)
);

-- Who made a key: the id of a user or of a key, and what it was called then.
alter table graphloom.api_keys
  add column maker text,
  add column maker_name text,
  -- The person whose key it is: who made it, or who made the key that made it.
  add column person text references graphloom.users on delete set null;
create index on graphloom.api_keys (person);
update graphloom.api_keys k
  set maker = a.actor, maker_name = a.actor_name, person = (select u.id from graphloom.users u where u.id = a.actor)
  from graphloom.audit a
  where a.project = k.project and a.action = 'key.create' and position(' (' || k.id || ') as ' in a.subject) > 0;

-- What was sent by mail within the last day, which limits how much is.
create table graphloom.mails (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('invitation', 'password')),
  recipient text not null,
  project text references graphloom.projects on delete cascade,
  -- The id of the user or the key that asked for it.
  sender text,
  sent_at timestamptz not null default now()
);
create index on graphloom.mails (recipient, sent_at);
create index on graphloom.mails (project, sent_at);
create index on graphloom.mails (sender, sent_at);
create index on graphloom.mails (sent_at);
