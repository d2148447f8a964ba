-- What a server has to know of the ones before it: one row.
create table graphloom.server (
  is_it boolean primary key default true check (is_it),
  -- Made with the key that secrets are encrypted with; tells whether a server has the same.
  key_check text not null
);
