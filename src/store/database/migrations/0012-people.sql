-- People with accounts on the server.
create table graphloom.users (
  id text primary key,
  -- In small letters.
  email text not null unique,
  name text not null,
  -- scrypt, with its parameters and its salt; nothing for those who sign in elsewhere.
  password_hash text,
  -- Who they are at a provider of OpenID Connect.
  oidc_issuer text,
  oidc_subject text,
  created_at timestamptz not null default now(),
  unique (oidc_issuer, oidc_subject)
);

create table graphloom.members (
  project text not null references graphloom.projects on delete cascade,
  member text not null references graphloom.users on delete cascade,
  role text not null check (role in ('Owner', 'Admin', 'Editor', 'Viewer')),
  since timestamptz not null default now(),
  primary key (project, member)
);
create index on graphloom.members (member);

-- Links that somebody becomes a member by, one for each address in a project. Kept as their hashes, as all below.
create table graphloom.invitations (
  id text primary key,
  project text not null references graphloom.projects on delete cascade,
  email text not null,
  role text not null check (role in ('Owner', 'Admin', 'Editor', 'Viewer')),
  hash text not null unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  unique (project, email)
);

-- Links for those who have forgotten their password, sent by mail.
create table graphloom.password_resets (
  hash text primary key,
  person text not null references graphloom.users on delete cascade,
  expires_at timestamptz not null
);

-- Where people are signed in: a browser by its cookie, a command line by its token.
create table graphloom.sessions (
  id text primary key,
  person text not null references graphloom.users on delete cascade,
  kind text not null check (kind in ('browser', 'token')),
  hash text not null unique,
  -- The project that a browser shows.
  project text references graphloom.projects on delete set null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  expires_at timestamptz not null
);
create index on graphloom.sessions (person);

-- What a command line gets a token for, once: RFC 6749 with RFC 7636. Kept after its use, to notice a second one.
create table graphloom.authorization_codes (
  hash text primary key,
  person text not null references graphloom.users on delete cascade,
  client text not null,
  redirect_uri text not null,
  challenge text not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- What was made for it.
  session text references graphloom.sessions on delete set null
);
