import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where a system service keeps its data. */
const SERVICE_FOLDER = '/var/lib/tacho'

/** Of a checkout, or of the package that npm installed; the same from the sources and from the compiled program. */
const PROGRAM_FOLDER = dirname(dirname(fileURLToPath(import.meta.url)))

interface Surroundings {
  readonly programFolder: string
  /** Number of the user that runs this; undefined where users have none. */
  readonly uid: number | undefined
  /** Number of the user to whom `SERVICE_FOLDER` belongs; undefined where there is none. */
  readonly serviceFolderUid: number | undefined
  readonly home: string
  /** XDG_DATA_HOME, which must be absolute to count. */
  readonly dataHome: string | undefined
  readonly platform: NodeJS.Platform
}

/**
 * Where the data is kept unless somebody says otherwise. In a checkout that is beside the program. Where npm installed it,
 * commands are typed in any folder and must find the same database, so it is one place for each user.
 */
export function standardDataFolder(dataHome: string | undefined): string {
  return dataFolderFor({
    programFolder: PROGRAM_FOLDER,
    uid: process.getuid?.(),
    serviceFolderUid: statSync(SERVICE_FOLDER, { throwIfNoEntry: false })?.uid,
    home: homedir(),
    dataHome,
    platform: process.platform,
  })
}

export function dataFolderFor(found: Surroundings): string {
  const { programFolder, uid, serviceFolderUid, home, dataHome, platform } = found
  if (basename(dirname(programFolder)) !== 'node_modules') return './data'
  if (uid === 0 || (uid !== undefined && uid === serviceFolderUid)) return SERVICE_FOLDER
  if (dataHome?.startsWith('/')) return join(dataHome, 'tacho')
  return platform === 'darwin' ? join(home, 'Library/Application Support/tacho') : join(home, '.local/share/tacho')
}
