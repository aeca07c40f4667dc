-- Where a user has logged in before: attempts from there keep a place when others crowd the door, and count by
-- themselves. As hashes with the id of the user in them, so that nobody reads from here who was where.
create table known_networks (
  user_id integer not null references users on delete cascade,
  network bytea not null check (octet_length(network) = 32),
  last_login timestamptz not null default clock_timestamp(),
  primary key (user_id, network)
);
insert into known_networks (user_id, network, last_login)
select user_id, sha256(convert_to(user_id || ' ' || network, 'UTF8')), max(created) from tokens group by user_id, network;

-- That was what the network of a token was for.
drop index tokens_by_user;
alter table tokens drop column network;
create index tokens_by_user on tokens (user_id);

-- Refresh tokens of clients that asked for rotation: each is used once, and what it was exchanged for names it as its
-- parent. One that comes again after a successor was used has been stolen, or its successor was.
alter table tokens add column rotates boolean not null default false;
alter table tokens add column parent bytea check (octet_length(parent) = 32);
alter table tokens add column used timestamptz;
create index tokens_by_parent on tokens (parent) where parent is not null;

-- How many wrong passwords an hour were tried with a user, beside `failed_logins`, which forgives within minutes. Each
-- failure moves `forgiven` further by as long as it takes until another one is allowed.
create table login_guesses (
  subject bytea primary key check (octet_length(subject) = 32),
  forgiven timestamptz not null
);
create index login_guesses_by_forgiven on login_guesses (forgiven);

-- A key ends with the right of whoever made it to administrate. Nobody made those of the command line, and of keys that
-- are there already nobody knows.
alter table api_keys add column made_by_user integer references users;
alter table api_keys add column made_by_key integer references api_keys;
alter table api_keys add constraint api_keys_one_maker check (made_by_user is null or made_by_key is null);
create index api_keys_by_user on api_keys (made_by_user) where made_by_user is not null;
create index api_keys_by_key on api_keys (made_by_key) where made_by_key is not null;

-- Who did what, and from where. Names are copied, and nothing here refers to other tables: a line stays what it was.
create table security_log (
  id bigint generated always as identity primary key,
  account_id integer not null,
  time timestamptz not null default clock_timestamp(),
  kind text not null,
  -- `service`: nobody, as of lines that were lost.
  caller_kind text not null check (caller_kind in ('user', 'key', 'service')),
  caller_id integer,
  caller_name text not null,
  -- Null where there is none.
  address text,
  details jsonb not null default '{}',
  -- What is written once an hour only, as the hash of caller, hour and object, so that it is once for all nodes.
  once bytea check (octet_length(once) = 32)
);
create unique index security_log_once on security_log (once) where once is not null;
create index security_log_by_account on security_log (account_id, time, id);
create index security_log_by_kind on security_log (account_id, kind, time, id);
create index security_log_by_caller on security_log (account_id, lower(caller_name), time, id);
create index security_log_by_time on security_log (time);

-- Lines are added and read. Only retention removes them, which says so, and none of the last seven days.
create function keep_security_log() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.time < clock_timestamp() - interval '7 days' and current_setting('tacho.retention', true) = 'security_log' then
      return old;
    end if;
  end if;
  raise exception 'the security log is only added to' using errcode = 'insufficient_privilege';
end
$$;
create trigger security_log_is_kept before update or delete on security_log
  for each row execute function keep_security_log();
create trigger security_log_is_not_emptied before truncate on security_log
  for each statement execute function keep_security_log();
