-- Who logs out ends one login: the access tokens that came of it, and all its refresh tokens, for an old one goes on
-- to work beside the new one.

alter table tokens add column login uuid;
-- Of tokens that are there, nobody knows which belong together: all of a user count as one login.
update tokens set login = one.login
from (select user_id, gen_random_uuid() as login from tokens group by user_id) one
where one.user_id = tokens.user_id;
alter table tokens alter column login set not null;
create index tokens_by_login on tokens (login);

-- When the user last came with the right password; null while that never happened.
alter table users add column last_login timestamptz;
