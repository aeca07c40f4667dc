-- When the database was restored from a backup, as the first revision after it, and to which instant. Every object that
-- clients sync got a newer revision then: what a client holds with an older one no longer exists.
create table restores (
  restored timestamptz primary key,
  restored_to timestamptz not null
);
