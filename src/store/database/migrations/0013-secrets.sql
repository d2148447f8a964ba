-- What pipelines need to reach other services.
create table graphloom.secrets (
  project text not null references graphloom.projects on delete cascade,
  name text not null,
  type text not null,
  description text,
  -- Its JSON, encrypted; it can be opened as this secret of this project only.
  sealed_value bytea not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (project, name)
);

-- What a secret cannot be deleted for.
create table graphloom.secret_uses (
  project text not null,
  secret text not null,
  -- In words: `the pipeline "swaps"`.
  used_by text not null,
  primary key (project, secret, used_by),
  -- Together with the project, a secret and its uses go in any order.
  foreign key (project) references graphloom.projects on delete cascade,
  foreign key (project, secret) references graphloom.secrets deferrable initially deferred
);
