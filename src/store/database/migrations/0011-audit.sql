-- Who did what in a project, for its Owners to read: kept after who did it is gone.
create table graphloom.audit (
  id bigint generated always as identity primary key,
  -- Nothing for what belongs to no project, as a sign-in.
  project text references graphloom.projects on delete cascade,
  at timestamptz not null default now(),
  -- The id of a key or of a user, and what it was called then.
  actor text not null,
  actor_name text not null,
  -- `secret.reveal`
  action text not null,
  -- What it was done to: the name of a secret, a person's address.
  subject text not null,
  -- The address of the network that it was asked from, as far as it is known.
  address text
);
create index on graphloom.audit (project, id);
