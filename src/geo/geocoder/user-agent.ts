import { createRequire } from 'node:module'

const { version } = createRequire(import.meta.url)('../../../package.json') as { readonly version: string }

/** Public servers refuse programs that do not say who they are. */
export const USER_AGENT = `Tacho/${version}`
