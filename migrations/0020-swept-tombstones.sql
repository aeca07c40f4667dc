-- What is left of trips and fault codes of dongles that were deleted: rows without anything, which are swept when they are old
-- (docs/adr/0023-whose-a-dongle-is.md). They stand out: a trip began when it was deleted, a code has no text.
create index trips_erased on trips (deleted) where start_time = deleted;
create index dtcs_erased on dtcs (deleted) where code = '';
