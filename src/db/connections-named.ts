import { type Statement, sql } from './sql.ts'

/** Where the connections to this database are that have a name, for `from`; other databases of the server may have such, too. */
export function connectionsNamed(name: string): Statement {
  return sql`pg_stat_get_activity(null)
    where application_name = ${name} and datid = (select oid from pg_database where datname = current_database())`
}
