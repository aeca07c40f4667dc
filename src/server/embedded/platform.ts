import { OperatorError } from '../../model/errors.ts'

const PLATFORMS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64']

/** @throws OperatorError when there is no embedded PostgreSQL for this machine. */
export function ownPlatform(): string {
  const platform = `${process.platform}-${process.arch}`
  if (PLATFORMS.includes(platform)) return platform
  throw new OperatorError(
    `There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL server (15 or later).`,
  )
}
