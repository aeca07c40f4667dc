import { type Config, isDataFolderStandard, readConfig } from '../config.ts'
import { OperatorError } from '../model/errors.ts'

/** What a command needs that works on the embedded database. */
interface EmbeddedFolder {
  readonly dataFolder: string
  /** As for `startEmbeddedServer`: nobody chose the folder. */
  readonly mayMove: boolean
  readonly logLevel: Config['logLevel']
}

/**
 * Where the embedded database is.
 * @param instead what operators of a PostgreSQL of their own are told
 * @throws OperatorError with that sentence when `DATABASE_URL` is set
 */
export function readEmbeddedFolder(instead: string): EmbeddedFolder {
  const { databaseUrl, dataFolder, logLevel } = readConfig()
  if (databaseUrl !== undefined) throw new OperatorError(instead)
  return { dataFolder, mayMove: isDataFolderStandard(), logLevel }
}
