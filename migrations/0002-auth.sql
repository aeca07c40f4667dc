-- Who may ask. Passwords, keys and tokens are here as hashes only: a copy of the database opens nothing.

create table users (
  id integer generated always as identity primary key,
  account_id integer not null references accounts,
  email text not null check (email <> ''),
  -- argon2id in PHC form, which carries its own parameters and salt.
  password_hash text not null check (password_hash like '$argon2id$%'),
  permissions text[] not null,
  created timestamptz not null default clock_timestamp(),
  revoked timestamptz
);
-- Mail systems do not tell letter cases apart, so neither does a login. A revoked user stays as a record, and
-- the address can be given to a new one.
create unique index users_by_email on users (lower(email)) where revoked is null;

create table api_keys (
  id integer generated always as identity primary key,
  account_id integer not null references accounts,
  name text not null check (name <> ''),
  -- The first characters of the key, by which an operator tells keys apart; the rest is still too much to guess.
  prefix text not null,
  -- SHA-256 without salt or stretching is enough: what it hides is 256 random bits, and every request looks it up.
  hash bytea not null unique check (octet_length(hash) = 32),
  permissions text[] not null,
  created timestamptz not null default clock_timestamp(),
  expires timestamptz,
  revoked timestamptz
);

create table tokens (
  hash bytea primary key check (octet_length(hash) = 32),
  kind text not null check (kind in ('access', 'refresh')),
  user_id integer not null references users on delete cascade,
  -- Where the login came from, an address or a network of addresses: a user's own places are not slowed down by
  -- what others try elsewhere.
  network text not null,
  created timestamptz not null default clock_timestamp(),
  expires timestamptz not null
);
create index tokens_by_user on tokens (user_id, network);
-- Issuing tokens removes expired ones.
create index tokens_by_expiry on tokens (expires);

-- Failed logins by e-mail address and by network, here because all nodes must count together. Each failure moves
-- `forgiven` a minute further, up to a bound, so a row says both how many there were lately and when it can go.
create table failed_logins (
  -- SHA-256 of what is counted: people type passwords into the wrong field, and a row must not grow with its subject.
  subject bytea primary key check (octet_length(subject) = 32),
  last_failure timestamptz not null,
  forgiven timestamptz not null
);
create index failed_logins_by_forgiven on failed_logins (forgiven);
